package backends

// LMStudio is the name of LM Studio's server.
var LMStudio = register(serverKind{
	name:     "LM Studio",
	wire:     openAIFormat,
	ownedBy:  "organization_owner",
	ports:    []string{"1234"},
	place:    5,
	can:      map[Feature]string{TakeKey: ""},
	logprobs: No,
	advice: Advice{
		Refuse: "load the model with a context longer than every prompt, and set its context overflow to \"stop at limit\"",
	},
})
