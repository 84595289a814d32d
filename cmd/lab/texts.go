package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"tengen/bot/texts"
)

// textsCmd tells how whole the catalogue of each language is.
type textsCmd struct {
	Missing bool   `help:"Name the texts that a language lacks."`
	Sheet   string `help:"Show all texts of this language beside English, with examples put in." placeholder:"TAG"`
}

func (c textsCmd) Run() error {
	if c.Sheet == "" {
		tellTexts(os.Stdout, c.Missing)
		return nil
	}
	english, err := os.ReadFile("bot/texts/en.json")
	if err != nil {
		return fmt.Errorf("in the folder of the source: %w", err)
	}
	return sheet(os.Stdout, c.Sheet, english)
}

func tellTexts(out io.Writer, missing bool) {
	all := len(texts.Keys())
	fmt.Fprintf(out, "| language | | texts | of %d |\n|---|---|---|---|\n", all)
	for _, l := range texts.Languages {
		there := all - len(texts.Missing(l.Tag))
		fmt.Fprintf(out, "| %s | %s | %d | %d %% |\n", l.Tag, l.Name, there, 100*there/all)
	}
	for _, l := range texts.Languages {
		if lacks := texts.Missing(l.Tag); missing && len(lacks) > 0 {
			fmt.Fprintf(out, "\n%s lacks:\n%s\n", l.Tag, strings.Join(lacks, "\n"))
		}
	}
}

// counts are numbers that languages inflect differently.
var counts = []string{"1", "2", "5", "21", "22", "1.5"}

// suchAs matches what a description says of a variable, up to the example in it.
var suchAs = regexp.MustCompile(`{{\.(\w+)}}:[^;]*?such as “?([^;,“”]+?)”?(?:[;,.]? |[;,.]?$)`)

// sheet shows all texts of a language beside English. english is the file with the descriptions: their examples go in,
// and several numbers where a text counts.
func sheet(out io.Writer, tag string, english []byte) error {
	if texts.Name(tag) == "" {
		return fmt.Errorf("no language %q; there are %s", tag, strings.Join(texts.Tags(), ", "))
	}
	described := map[string]struct{ Description string }{}
	if err := json.Unmarshal(english, &described); err != nil {
		return err
	}
	lacks := texts.Missing(tag)
	fmt.Fprintf(out, "| key | English | %s |\n|---|---|---|\n", texts.Name(tag))
	for _, key := range texts.Keys() {
		args := []any{}
		for _, m := range suchAs.FindAllStringSubmatch(described[key].Description, -1) {
			args = append(args, m[1], m[2])
		}
		numbers := []string{""}
		if strings.Contains(texts.In("en").Say(key), "{{.Count") {
			numbers = counts
		}
		for _, n := range numbers {
			with := args
			if n != "" {
				with = append([]any{"Count", n}, args...)
			}
			said := texts.In(tag).Say(key, with...)
			if slices.Contains(lacks, key) {
				said = "(missing)"
			}
			fmt.Fprintf(out, "| %s | %s | %s |\n", key, inCell(texts.In("en").Say(key, with...)), inCell(said))
		}
	}
	return nil
}

// inCell is a text in a row of a table.
func inCell(s string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s) }
