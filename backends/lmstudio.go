package backends

// LMStudio is the name of LM Studio's server.
const LMStudio = "LM Studio"

var lmStudio = serverKind{
	name:            LMStudio,
	wire:            openAIFormat,
	ownedBy:         "organization_owner",
	ports:           []string{"1234"},
	reportsLogprobs: AbilityNo,
	advice: Advice{
		RefuseLongPrompts: "load the model with a context longer than every prompt, " +
			"and set its context overflow to \"stop at limit\"",
	},
}
