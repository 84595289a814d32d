package standin

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"testing"

	"tengen/internal/testkit"
)

func TestPictureSize(t *testing.T) {
	im := image.NewPaletted(image.Rect(0, 0, 300, 17), color.Palette{color.Black})
	var g, p bytes.Buffer
	testkit.Must(t, gif.Encode(&g, im, nil))
	testkit.Must(t, png.Encode(&p, im))
	for what, data := range map[string][]byte{"gif": g.Bytes(), "png": p.Bytes()} {
		if w, h := pictureSize(data); w != 300 || h != 17 {
			t.Errorf("%s: %dx%d", what, w, h)
		}
	}
	for what, data := range map[string][]byte{"nothing": nil, "a beginning": []byte("GIF89a"),
		"text": []byte("hello, this is no picture")} {
		if w, h := pictureSize(data); w != 0 || h != 0 {
			t.Errorf("%s: %dx%d", what, w, h)
		}
	}
}
