package datasets

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"gavel/internal/codec"
)

// topic is a question that asks for five things, with a sentence about each, and four sentences about other things.
type topic struct {
	subject string
	things  [5][2]string // the thing and its sentence
	others  [4]string
}

var topics = []topic{
	{
		subject: "an advertisement for a room to let",
		things: [5][2]string{
			{"the rent", "The rent is 420 euros a month."}, {"the size", "The room measures 16 square metres."},
			{"the floor", "It is on the third floor."}, {"the heating", "The heating runs on gas."},
			{"who else lives there", "Two students live in the other rooms."},
		},
		others: [4]string{
			"The walls were painted last spring.", "There is a bakery across the street.", "A bus stops near the house.",
			"The window looks out on a garden.",
		},
	},
	{
		subject: "a report on a broken vending machine",
		things: [5][2]string{
			{"where it stands", "The machine stands in the hall of building 4."}, {"when it broke", "It broke on Monday at ten."},
			{"what it does not do", "It takes coins but gives no drinks."}, {"the error on its display", "The display shows error 27."},
			{"who found out", "Maria from the front desk found out."},
		},
		others: [4]string{
			"The machine is blue.", "Many people like its lemonade.", "It was bought two years ago.",
			"The hall is busy in the morning.",
		},
	},
	{
		subject: "an invitation to a street party",
		things: [5][2]string{
			{"the date", "The party is on 14 June."}, {"the time", "It begins at four in the afternoon."},
			{"the street", "We meet in Mill Street."}, {"what to bring", "Please bring a salad or a cake."},
			{"what happens if it rains", "If it rains, we move to the school."},
		},
		others: [4]string{
			"Last year 80 neighbours came.", "The band plays songs from the sixties.", "Children can paint the pavement.",
			"The mayor has said that she may come.",
		},
	},
	{
		subject: "a note on how to look after a cat",
		things: [5][2]string{
			{"its name", "The cat is called Olive."}, {"its food", "She gets half a tin in the morning and half at night."},
			{"where its box is", "Her box is in the bathroom."}, {"the vet's number", "The vet's number is 555 0137."},
			{"what it fears", "She is afraid of the vacuum cleaner."},
		},
		others: [4]string{
			"She came to us from a farm.", "Her fur is grey.", "She likes to sleep on the piano.", "Her brother lives next door.",
		},
	},
	{
		subject: "a description of a hiking trail",
		things: [5][2]string{
			{"its length", "The trail is 12 kilometres long."}, {"the climb", "It climbs 480 metres."},
			{"where it starts", "It starts at the station of Oberau."}, {"where to find water", "There is water at the second hut."},
			{"when it is closed", "It is closed from November to April."},
		},
		others: [4]string{
			"Painters have come here for centuries.", "In June the meadows are full of flowers.", "Sheep graze beside the path.",
			"The views are famous.",
		},
	},
	{
		subject: "a message about a parcel",
		things: [5][2]string{
			{"what is in it", "The parcel holds a lamp."}, {"its weight", "It weighs 3 kilograms."},
			{"its number", "Its number is ZK-4471."}, {"the day of delivery", "It arrives on Thursday."},
			{"where it is left", "The driver leaves it with the porter."},
		},
		others: [4]string{
			"We have packed it with care.", "Our shop was founded in 1987.", "The box can be recycled.",
			"Many customers order a second one.",
		},
	},
	{
		subject: "an announcement of a talk",
		things: [5][2]string{
			{"the speaker", "The speaker is Dr. Amara Obi."}, {"the title", "The title is “Rivers that move”."},
			{"the room", "The talk is in room 2.08."}, {"the language", "It is given in English."},
			{"how to sign up", "Sign up by email to the library."},
		},
		others: [4]string{
			"Rivers have fascinated people at all times.", "The library has new chairs.", "Photographs are welcome.",
			"The series has run for ten years.",
		},
	},
	{
		subject: "a recipe for a soup",
		things: [5][2]string{
			{"the vegetable", "The soup is made of leeks."}, {"the number of servings", "It serves four."},
			{"the time on the stove", "It cooks for 25 minutes."}, {"the spice", "Season it with nutmeg."},
			{"what to serve with it", "Serve it with dark bread."},
		},
		others: [4]string{
			"My grandmother loved it.", "Soup warms on cold days.", "The kitchen will smell wonderful.",
			"A blue bowl suits it.",
		},
	},
}

// TestSampleScores: the built-in sample is what follows from the topics: each response has so many of the five things,
// its score, and otherwise sentences about other things, so that all are equally long. go test -update writes the file.
func TestSampleScores(t *testing.T) {
	var lines bytes.Buffer
	for i, topic := range topics {
		var things []string
		for _, thing := range topic.things {
			things = append(things, thing[0])
		}
		question := fmt.Sprintf("Write %s. Say these five things: %s.", topic.subject, strings.Join(things, ", "))
		for k := range 5 {
			n := (k+i)%5 + 1
			var response, has []string
			for j := range n {
				thing := topic.things[(i+2*k+j)%5]
				response, has = append(response, thing[1]), append(has, thing[0])
			}
			for j := range 5 - n {
				response = append(response, topic.others[(i+k+j)%4])
			}
			for j := range response { // mixed
				o := (3*j + k) % 5
				response[j], response[o] = response[o], response[j]
			}
			row := struct {
				responseLine
				Reason string `json:"reason"`
			}{
				responseLine{
					ID:           new(textOrNumber(fmt.Sprintf("sample-scores-%02d", 5*i+k+1))),
					Source:       "gavel-sample",
					Question:     &question,
					Response:     new(strings.Join(response, " ")),
					PeopleScores: PeopleScores{Scores: map[string]float64{"counted": float64(n)}, Scale: &[2]float64{1, 5}},
				},
				fmt.Sprintf("%d of the five things: %s", n, strings.Join(has, ", ")),
			}
			line, err := codec.Marshal(row)
			assert.NilError(t, err)
			lines.Write(append(line, '\n'))
		}
	}
	golden.AssertBytes(t, lines.Bytes(), "../sample/scores.jsonl")
}
