package render

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/draw"
)

// TestSigns compares the signs with the pictures that were looked at.
func TestSigns(t *testing.T) {
	drawn := Signs()
	names := map[string]bool{}
	for _, s := range drawn {
		im := must(png.Decode(bytes.NewReader(s.PNG)))
		if b := im.Bounds(); b.Dx() != SignSize || b.Dy() != SignSize || len(s.PNG) > 32<<10 || names[s.Name] {
			t.Errorf("%s: %v, %d bytes, another of the name: %v", s.Name, b, len(s.PNG), names[s.Name])
		}
		names[s.Name] = true
		for _, corner := range []image.Point{{0, 0}, {SignSize - 1, SignSize - 1}} {
			if _, _, _, a := im.At(corner.X, corner.Y).RGBA(); a != 0 {
				t.Errorf("%s: the ground is not clear", s.Name)
			}
		}
		golden(t, "sign-"+s.Name, s.PNG)
	}
}

// signGrounds are the colors of quiet buttons, on which alone signs stand: those of Discord
// and of the demo, dark and light.
var signGrounds = []rgb{0x1A1A1E, 0x313338, 0x4E5058, 0xFFFFFF, 0xE3E5E8, 0xD7D9DC}

// signOn is a sign as a client shows it on a button: 22 pixels wide, and paler where the button is
// switched off.
func signOn(s Sign, ground rgb, opacity float64) *image.RGBA {
	const small = 22
	im := image.NewRGBA(image.Rect(0, 0, small, small))
	draw.Draw(im, im.Bounds(), image.NewUniform(ground.rgba()), image.Point{}, draw.Src)
	reduced := image.NewRGBA(im.Bounds())
	draw.CatmullRom.Scale(reduced, im.Bounds(), must(png.Decode(bytes.NewReader(s.PNG))),
		image.Rect(0, 0, SignSize, SignSize), draw.Src, nil)
	draw.DrawMask(im, im.Bounds(), reduced, image.Point{}, image.NewUniform(color.Alpha{uint8(255 * opacity)}),
		image.Point{}, draw.Over)
	return im
}

// A sign is seen on every button: much of it has a contrast of 3:1 to the ground, for all
// eyes. Stones stand on buttons that are switched off, which clients show at half strength:
// there 1.6:1 is asked, and that black and white are told apart.
func TestSignsAreSeen(t *testing.T) {
	at := func(im *image.RGBA, x, y int) rgb { c := im.RGBAAt(x, y); return rgbOf(c.R, c.G, c.B) }
	drawn := Signs()
	for _, ground := range signGrounds {
		pictures := make([]*image.RGBA, len(drawn))
		least := make([]float64, len(drawn))
		for i, s := range drawn {
			opacity := 1.
			least[i] = 3
			if s.Name == "black" || s.Name == "white" {
				opacity, least[i] = .5, 1.6
			}
			pictures[i] = signOn(s, ground, opacity)
		}
		for _, see := range sights {
			middles := map[string]rgb{}
			for n, s := range drawn {
				im, seen := pictures[n], 0
				for i := range 22 * 22 {
					if contrast(see.see(at(im, i%22, i/22)), see.see(ground)) >= least[n] {
						seen++
					}
				}
				if seen < 22*22/10 {
					t.Errorf("%s: %s on %v: %d of 484 points stand out", see.name, s.Name, ground, seen)
				}
				middles[s.Name] = see.see(at(im, 11, 15))
			}
			if c := contrast(middles["black"], middles["white"]); c < 1.6 {
				t.Errorf("%s: black and white on %v have a contrast of %.2f", see.name, ground, c)
			}
		}
	}
}

// TestSignSheet draws all signs on all grounds into the folder SIGN_SHEET, to be looked at.
func TestSignSheet(t *testing.T) {
	dir := os.Getenv("SIGN_SHEET")
	if dir == "" {
		t.Skip("SIGN_SHEET names no folder")
	}
	const cell, scale = 30, 4
	drawn := Signs()
	small := image.NewRGBA(image.Rect(0, 0, cell*len(drawn)*2, cell*len(signGrounds)))
	full := image.NewRGBA(image.Rect(0, 0, SignSize*len(drawn), 2*SignSize))
	for i, s := range drawn {
		for j, ground := range signGrounds {
			for k, opacity := range []float64{1, .5} {
				box := image.Rect(cell*(2*i+k), cell*j, cell*(2*i+k+1), cell*(j+1))
				draw.Draw(small, box, image.NewUniform(ground.rgba()), image.Point{}, draw.Src)
				draw.Draw(small, box.Add(image.Pt(4, 4)), signOn(s, ground, opacity), image.Point{}, draw.Src)
			}
		}
		for j, ground := range []rgb{signGrounds[1], signGrounds[4]} {
			box := image.Rect(SignSize*i, SignSize*j, SignSize*(i+1), SignSize*(j+1))
			draw.Draw(full, box, image.NewUniform(ground.rgba()), image.Point{}, draw.Src)
			draw.Draw(full, box, must(png.Decode(bytes.NewReader(s.PNG))), image.Point{}, draw.Over)
		}
	}
	large := image.NewRGBA(image.Rect(0, 0, small.Rect.Dx()*scale, small.Rect.Dy()*scale))
	draw.NearestNeighbor.Scale(large, large.Rect, small, small.Rect, draw.Src, nil)
	for name, im := range map[string]image.Image{"full": full, "small": small, "small-x4": large} {
		save(t, filepath.Join(dir, fmt.Sprintf("signs-%s.png", name)), im)
	}
}
