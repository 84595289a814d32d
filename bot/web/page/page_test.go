package page_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tengen/bot/texts"
	"tengen/bot/web/page"
	"tengen/internal/testkit"
)

// What the page says stands in the catalogue, in all languages, and the page says all of it.
func TestWords(t *testing.T) {
	sources, err := filepath.Glob("*.js")
	testkit.Must(t, err)
	said := regexp.MustCompile(`\bword\("([^"]+)"[,)]|data-(?:word|label)="([^"]+)"`)
	literal := regexp.MustCompile(`"([a-z][a-z.]*)"`)
	spoken, literals := map[string]bool{"title": true, "noscript": true}, map[string]bool{}
	for _, f := range append(sources, "page.html") {
		text := string(testkit.Read(t, f))
		for _, m := range said.FindAllStringSubmatch(text, -1) {
			spoken[m[1]+m[2]] = true
		}
		for _, m := range literal.FindAllStringSubmatch(text, -1) {
			literals[m[1]] = true
		}
	}
	for _, lang := range texts.Tags() {
		words := page.Words(lang)
		for key := range spoken {
			if words["page."+key] == "" {
				t.Errorf("%s: the page says %q, which is not in the catalogue", lang, key)
			}
		}
	}
	for _, key := range page.Texts() {
		short := strings.TrimPrefix(key, "page.")
		last := strings.LastIndex(short, ".")
		if !spoken[short] && !literals[short] && !literals[short[:last+1]] {
			t.Errorf("%s is in the catalogue, and the page does not say it", key)
		}
	}
}

// Variables of the page's texts are the same in all languages, and described.
func TestWordsHaveVariables(t *testing.T) {
	variable := regexp.MustCompile(`\{\w+\}`)
	data := testkit.Read(t, filepath.Join("..", "..", "texts", "en.json"))
	raw := map[string]json.RawMessage{}
	testkit.Must(t, json.Unmarshal(data, &raw))
	described := map[string]string{}
	for _, key := range page.Texts() {
		var d struct{ Description string }
		testkit.Must(t, json.Unmarshal(raw[key], &d))
		described[key] = d.Description
	}
	english := page.Words("en")
	for _, lang := range texts.Tags() {
		for key, text := range page.Words(lang) {
			for _, v := range variable.FindAllString(text+english[key], -1) {
				both := strings.Contains(text, v) && strings.Contains(english[key], v)
				if !both || !strings.Contains(described[key], v+": ") {
					t.Errorf("%s: %s has or lacks %s, or its description does", lang, key, v)
				}
			}
		}
	}
}

// The policy allows the script and the style of the document, and nothing else.
func TestPolicy(t *testing.T) {
	policy := page.Policy("wss://games.example.org")
	doc := string(page.Document(page.Boot{Way: page.Member, Lang: "en"}))
	for _, tag := range []string{`<script type="module">`, `<style>`} {
		name := tag[1:strings.IndexAny(tag, " >")]
		_, inside, _ := strings.Cut(doc, tag)
		inside, _, _ = strings.Cut(inside, "</"+name+">")
		sum := sha256.Sum256([]byte(inside))
		want := name + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		if !strings.Contains(policy, want) {
			t.Errorf("the policy has no %s: %s", want, policy)
		}
	}
	for _, never := range []string{"unsafe", "http:", "https:", "*"} {
		if strings.Contains(policy, never) {
			t.Errorf("the policy has %s: %s", never, policy)
		}
	}
	outside := regexp.MustCompile(`(src|href)="(https?:|//)`)
	if found := outside.FindString(doc); found != "" {
		t.Errorf("the document loads %s", found)
	}
}

// Whatever a state or a title holds, it stays a text.
func TestDocumentEscapes(t *testing.T) {
	evil := `</script><script>alert(1)</script>"'&`
	state, err := json.Marshal(map[string]string{"says": evil})
	testkit.Must(t, err)
	doc := string(page.Document(page.Boot{Way: page.Watch, Lang: `"><b>`, Title: evil, About: evil,
		Image: `https://x/"><b>`, State: state}))
	if strings.Contains(doc, "<script>alert") || strings.Contains(doc, `"><b>`) {
		t.Error("a text became markup")
	}
	if !strings.Contains(doc, `property="og:title" content="`+html.EscapeString(evil)) {
		t.Error("the title is not told")
	}
	if !strings.Contains(string(page.Document(page.Boot{Lang: "he"})), `dir="rtl"`) {
		t.Error("Hebrew is not written from the right")
	}
}

// The page stays small: its script as it is written, and the document as it is sent.
func TestSize(t *testing.T) {
	sources, err := filepath.Glob("*.js")
	testkit.Must(t, err)
	script := 0
	for _, f := range sources {
		script += len(testkit.Read(t, f))
	}
	doc := page.Document(page.Boot{Way: page.Member, Lang: "zh-CN"})
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(doc)
	testkit.Must(t, z.Close())
	t.Logf("script %d bytes, document %d, packed %d", script, len(doc), packed.Len())
	if script > 100_000 || packed.Len() > 60_000 {
		t.Errorf("script %d bytes, document %d packed", script, packed.Len())
	}
}
