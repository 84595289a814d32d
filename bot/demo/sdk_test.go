package demo_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"testing"

	"tengen/bot/demo"
	"tengen/bot/standin"
	"tengen/internal/browser"
	"tengen/internal/testkit"
)

// official is a document in the frame of the Activity: it does by Discord's SDK what it is told, and tells what came of
// it, a value or the code of a refusal.
const official = `<!doctype html><html><head><title>SDK</title></head><body><script>%s</script><script>
const sdk = new official.DiscordSDK("77"), heard = [];
const whom = { client_id: "77", response_type: "code", state: "", prompt: "none", scope: ["identify"] };
const tell = (said) => parent.postMessage({ said }, "*");
const done = (act) => Promise.resolve(act).then((value) => JSON.stringify(value), (err) => "refused " + (err.code ?? err));
addEventListener("message", (e) => e.data.act && done(eval(e.data.act)).then((said) => tell(said)));
sdk.ready().then(() => tell("ready"));
</script></body></html>`

// TestSDK: what the page answers to an Activity, the official SDK takes: in a frame with an origin, and in one without.
// TENGEN_SDK names the SDK's script, as .ci/run makes it.
func TestSDK(t *testing.T) {
	t.Parallel()
	file := os.Getenv("TENGEN_SDK")
	if file == "" {
		t.Skip("TENGEN_SDK does not name the script of Discord's SDK")
	}
	document := fmt.Sprintf(official, testkit.Read(t, file))
	boards := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, document)
	}))
	t.Cleanup(boards.Close)
	s := standin.New(t, standin.Options{NoGuild: true, Activity: true})
	site := httptest.NewServer(testkit.Got(demo.New(t.Context(), s, "tengen",
		demo.Options{Members: 3, Boards: testkit.Got(url.Parse(boards.URL))})))
	t.Cleanup(site.Close)
	b := browser.Open(t)
	for _, width := range []int{1280, 360} {
		ann := b.Tab("Ann", site.URL+"/?as=Ann&in=gomoku", width, 800)
		ann.Sees("Welcome to #gomoku")
		ann.Eval(`addEventListener("message", (e) => e.data.said && said.push(e.data.said), window.said = [])`)
		// does has the SDK do something; it is what comes of it, once the dialog that comes is answered.
		does := func(act, button string) string {
			ann.Eval(fmt.Sprintf(`document.querySelector("#activity iframe").contentWindow.postMessage({ act: %q }, "*")`, act))
			if button != "" {
				ann.Click(button)
			}
			ann.Until(`said.length`)
			return ann.Eval(`said.shift()`)
		}
		if width < 1200 {
			ann.ClickAt(`document.getElementById("who")`, "the members")
		}
		ann.ClickAt(`[...document.querySelectorAll("#members button")].find((n) => n.innerText.includes("tengen"))`, "the bot")
		ann.Click("Open the boards of this channel")
		ann.Until(`said.shift() === "ready"`)
		for _, c := range []struct{ act, button, want string }{
			{`sdk.subscribe("ACTIVITY_LAYOUT_MODE_UPDATE", (m) => heard.push(m.layout_mode)).then(() => 1)`, "", `1`},
			{`sdk.subscribe("ORIENTATION_UPDATE", (m) => heard.push(m.screen_orientation)).then(() => 1)`, "", `1`},
			{`sdk.unsubscribe("ORIENTATION_UPDATE", () => {}).then(() => 1)`, "", `1`},
			{`sdk.commands.authorize(whom).then((said) => said.code.length)`, "Cancel", `refused 5000`},
			{`sdk.commands.authorize(whom).then((said) => said.code.length)`, "Authorize", `43`},
			{`sdk.commands.openInviteDialog()`, "Cancel", `null`},
			{`sdk.commands.openInviteDialog()`, "Send", `null`},
			{`sdk.commands.shareLink({ message: "Come!", custom_id: "M7" })`, "Cancel",
				`{"success":false,"didCopyLink":false,"didSendMessage":false}`},
			{`sdk.commands.shareLink({ message: "Come!", custom_id: "M7" })`, "Send",
				`{"success":true,"didCopyLink":false,"didSendMessage":true}`},
			{`sdk.commands.openExternalLink({ url: "` + site.URL + `" })`, "Cancel", `{"opened":false}`},
			{`sdk.commands.openExternalLink({ url: "` + site.URL + `" })`, "Open", `{"opened":true}`},
			{`sdk.commands.startPurchase({ sku_id: "1" })`, "", `refused 4002`}, // as old clients refuse
			{`Promise.resolve(heard)`, "", `[]`},
		} {
			testkit.Want(t, c.act, does(c.act, c.button), c.want)
		}
		ann.Click("Small, beside the chat")
		testkit.Want(t, "the layouts", does(`Promise.resolve(heard)`, ""), `[1]`)
		ann.Eval(`document.querySelector("#activity iframe").contentWindow.postMessage({ act: "sdk.close(1000, \"\")" }, "*")`)
		ann.Until(`document.getElementById("activity").hidden`)
		ann.Sees("Come! https://discord.com/activities/" + s.AppID() + "?custom_id=M7")
		ann.Close()
	}
}
