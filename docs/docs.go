// Package docs holds the pages of docs/ that are part of the program.
package docs

import _ "embed"

// HowToGuide is docs/how-do-i.md, which "gavel serve" shows at /help.
//
//go:embed how-do-i.md
var HowToGuide string
