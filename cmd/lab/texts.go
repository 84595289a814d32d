package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"tengen/bot/texts"
)

// textsCmd tells how whole the catalogue of each language is.
type textsCmd struct {
	Missing bool `help:"Name the texts that a language lacks."`
}

func (c textsCmd) Run() error {
	tellTexts(os.Stdout, c.Missing)
	return nil
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
