package backends

import (
	"net/http"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestAccountCountsWhatIsNoJudgment: by page, whatever stands before it in the address, and onto what was asked before.
func TestAccountCountsWhatIsNoJudgment(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		s := w.start(t, func(rw http.ResponseWriter, r *http.Request) {
			rw.Write([]byte(w.reply(content("fine"), "stop")))
		})
		b := s.client(w, "")
		var account RequestCounter
		ctx := WithRequestCounter(t.Context(), &account)
		_, err := b.Ask(ctx, question)
		assert.NilError(t, err)
		lists := func(pages map[string]int) int { return pages["/v1/models"] + pages["/api/tags"] }
		before := account.AddTo(nil) // a server may be asked first what it is
		b.(ModelIdentifier).Identify(ctx, "tiny")
		sum := account.AddTo(map[string]int{"/version": 5})
		assert.Equal(t, lists(sum), lists(before)+1)
		assert.Equal(t, sum["/version"], before["/version"]+5)
		for page := range sum {
			assert.Assert(t, strings.HasPrefix(page, "/") && !strings.Contains(page, "chat"), page)
		}
	})
}
