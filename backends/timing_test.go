package backends

import (
	"strings"
	"testing"
	"time"
)

func TestTiming(t *testing.T) {
	for _, tc := range []struct {
		wire wire
		body string
		want Timing
	}{
		{ollamaWire, ollamaWire.reply(content("A"), "stop"), Timing{34, 1671092, 22, 76820619}},
		{llamaWire, strings.Replace(llamaWire.reply(content("A"), "stop"), `"prompt_ms":1.0`, `"prompt_ms":1.5,"predicted_n":22,"predicted_ms":2.04`, 1), Timing{34, 1500 * time.Microsecond, 22, 2040 * time.Microsecond}},
		{vllmWire, vllmWire.reply(content("A"), "stop"), Timing{}},
		{studioWire, studioWire.reply(content("A"), "stop"), Timing{}},
	} {
		got, err := tc.wire.askFor(t, question, respond(200, tc.body))
		if err != nil || got.Timing != tc.want {
			t.Errorf("%s: %+v, %v, want %+v", tc.wire.name, got.Timing, err, tc.want)
		}
	}
}
