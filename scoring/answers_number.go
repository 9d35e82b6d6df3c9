package scoring

import (
	"math/big"
	"regexp"
	"strings"
)

// written is a decimal number, once what people put around it is off.
var written = regexp.MustCompile(`^[+-]?([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400})$`)

var around = strings.NewReplacer(",", "", "$", "", "%", "", " ", "")

// sameNumber compares two numbers as written: 1,450,000 is 1450000.0.
func sameNumber(a, b string) bool {
	x, okx := decimal(a)
	y, oky := decimal(b)
	return okx && oky && x.Cmp(y) == 0
}

func decimal(s string) (*big.Rat, bool) {
	s = around.Replace(strings.TrimSpace(s))
	if !written.MatchString(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}
