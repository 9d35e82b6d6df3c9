package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
)

// tree prints how many tokens stand in a tree of a run's first turns in which what begins alike stands once, as
// llama.cpp's own tokenizer has them: what its prompt cache would leave to read if it forgot nothing.
func tree(url, dir string) error {
	m, err := judging.ReadManifest(dir)
	if err != nil {
		return err
	}
	asker, err := judging.AskerOf(m)
	if err != nil {
		return err
	}
	set, err := datasets.OpenFile(filepath.Join(dir, judging.ItemsFile))
	if err != nil {
		return err
	}
	defer set.Close()
	var prompts [][]int
	read := 0
	for row := range set.Len() {
		item, err := set.Item(row)
		if err != nil {
			return err
		}
		for _, shown := range asker.Presentations(item) {
			tokens, err := tokenized(url, judging.FirstTurn(asker.Prompt(item, shown), m.Spec.Parameters.SystemRole))
			if err != nil {
				return err
			}
			prompts = append(prompts, tokens)
		}
	}
	slices.SortFunc(prompts, slices.Compare)
	var before []int
	for _, tokens := range prompts {
		same := 0
		for same < min(len(before), len(tokens)) && before[same] == tokens[same] {
			same++
		}
		read, before = read+len(tokens)-same, tokens
	}
	fmt.Println(read)
	return nil
}

// tokenized is what llama.cpp makes of a conversation.
func tokenized(url string, messages []backends.Message) ([]int, error) {
	var rendered struct {
		Prompt string `json:"prompt"`
	}
	if err := post(url+"/apply-template", map[string]any{"messages": messages}, &rendered); err != nil {
		return nil, err
	}
	var made struct {
		Tokens []int `json:"tokens"`
	}
	err := post(url+"/tokenize",
		map[string]any{"content": rendered.Prompt, "add_special": true, "parse_special": true}, &made)
	return made.Tokens, err
}

func post(url string, body, answer any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	resp, err := http.Post(url, "application/json", bytes.NewReader(raw))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(answer)
}
