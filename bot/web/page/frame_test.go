package page_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tengen/internal/browser"
	"tengen/internal/testkit"
)

var update = flag.Bool("update", false, "write testdata/frame.txt anew")

const ourMessages = "testdata/frame.txt"

// What the page says to Discord's client, word for word, in a frame that the test can look into: the handshake, consent
// at the first act, an invitation where an old client has no dialog for that, a link that opens outside, and the end.
func frameMessages(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku)
	tab := b.Tab("client", h.URL+"/client?origin", 390, 844)
	inside := func(selector, name string) string {
		return fmt.Sprintf(`[...frame.contentDocument.querySelectorAll(%q)].find((n) => n.textContent === %q)`, selector, name)
	}
	press := func(selector, name string) {
		tab.Until(inside(selector, name))
		tab.Eval(`new Promise((done) => setTimeout(done, 300))`) // a button that has just come does nothing
		tab.Eval(inside(selector, name) + `.click()`)
	}
	press("#acts button", "Play here")
	press("#acts button", "Invite")
	tab.Until(`said.includes("SHARE_LINK")`)
	press("#acts button", "Share")
	press("#dialog a", "SGF file")
	tab.Until(`said.includes("OPEN_EXTERNAL_LINK")`)
	tab.Eval(`(window.until = all.length, frame.contentWindow.location.reload())`)
	h.do(func() { h.ended = true }) // there is nothing to see then, and a button that closes the frame
	h.cut()
	press("#list button", "Close")
	tab.Until(`said.includes("CLOSE")`)
	got := strings.ReplaceAll(tab.Eval(`[...all.slice(0, until), all.at(-1)].join("\n")`)+"\n", h.URL, "https://games.example.org")
	if *update {
		testkit.Must(t, os.MkdirAll("testdata", 0o755))
		testkit.Must(t, os.WriteFile(ourMessages, []byte(got), 0o644))
	}
	testkit.Want(t, ourMessages, got, string(testkit.Read(t, ourMessages)))
}

// official does by the official SDK what the page does in frameMessages.
const official = `<!doctype html><title>SDK</title><link rel="icon" href="data:,"><script>%s</script><script type="module">
const sdk = new official.DiscordSDK("77");
await sdk.ready();
for (const act of [
	() => sdk.subscribe("ACTIVITY_LAYOUT_MODE_UPDATE", () => {}),
	() => sdk.subscribe("ORIENTATION_UPDATE", () => {}),
	() => sdk.commands.authorize({ client_id: "77", response_type: "code", state: "", prompt: "none", scope: ["identify"] }),
	() => sdk.commands.openInviteDialog(),
	() => sdk.commands.shareLink({ message: "Come to the board!", custom_id: "M7" }),
	() => sdk.commands.openExternalLink({ url: "https://games.example.org/g/shared.sgf" }),
]) await Promise.race([act(), new Promise((later) => setTimeout(later, 200))]).catch(() => {});
sdk.close(1000, "");
</script>`

// The official SDK says the same for the same acts. TENGEN_SDK names its script, as .ci/run makes it. Where the SDK
// says something else, testdata/sdk.txt has its message, under the reason why the page does not say this.
func TestSDK(t *testing.T) {
	t.Parallel()
	file := os.Getenv("TENGEN_SDK")
	if file == "" {
		t.Skip("TENGEN_SDK does not name the script of Discord's SDK")
	}
	h := open(t, gomoku)
	h.sdk = fmt.Sprintf(official, testkit.Read(t, file))
	tab := browser.Open(t).Tab("client", h.URL+"/client?sdk", 390, 844)
	tab.Until(`said.includes("CLOSE")`)
	ours := strings.Split(string(testkit.Read(t, ourMessages)), "\n")
	theirs := strings.Split(tab.Eval(`all.join("\n")`)+"\n", "\n")
	if len(theirs) != len(ours) {
		t.Fatalf("the SDK says %q", theirs)
	}
	var other []string
	for i, message := range theirs {
		if message != ours[i] {
			other = append(other, message)
		}
	}
	known := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(testkit.Read(t, "testdata/sdk.txt"))), "\n"),
		func(line string) bool { return strings.HasPrefix(line, "#") })
	testkit.Want(t, "what the SDK says otherwise", strings.Join(other, "\n"), strings.Join(known, "\n"))
}
