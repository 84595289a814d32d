package render

import (
	"image"
	"image/color"
	"math"
)

// sight is a way of seeing colours: a matrix over linear light.
type sight struct {
	name string
	m    [9]float64
}

// sights are full colour vision, the two common kinds of colour blindness at full
// strength (Machado, Oliveira and Fernandes 2009), and grey.
var sights = []sight{
	{"full", [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}},
	{"protan", [9]float64{0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998}},
	{"deutan", [9]float64{0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881}},
	{"grey", [9]float64{.2126, .7152, .0722, .2126, .7152, .0722, .2126, .7152, .0722}},
}

func linear(c uint8) float64 {
	v := float64(c) / 255
	if v <= .04045 {
		return v / 12.92
	}
	return math.Pow((v+.055)/1.055, 2.4)
}

func gamma(v float64) uint8 {
	v = math.Max(0, math.Min(1, v))
	if v <= .0031308 {
		v *= 12.92
	} else {
		v = 1.055*math.Pow(v, 1/2.4) - .055
	}
	return uint8(v*255 + .5)
}

func (s sight) see(c rgb) rgb {
	r, g, b := linear(c.r()), linear(c.g()), linear(c.b())
	m := s.m
	return rgbOf(gamma(m[0]*r+m[1]*g+m[2]*b), gamma(m[3]*r+m[4]*g+m[5]*b), gamma(m[6]*r+m[7]*g+m[8]*b))
}

func (s sight) view(im image.Image) image.Image {
	out := image.NewRGBA(im.Bounds())
	for y := range im.Bounds().Dy() {
		for x := range im.Bounds().Dx() {
			c := color.RGBAModel.Convert(im.At(x, y)).(color.RGBA)
			out.Set(x, y, s.see(rgbOf(c.R, c.G, c.B)).rgba())
		}
	}
	return out
}

// contrast is the contrast ratio of WCAG, 1 to 21.
func contrast(a, b rgb) float64 {
	la, lb := luminance(a), luminance(b)
	return (math.Max(la, lb) + .05) / (math.Min(la, lb) + .05)
}

func luminance(c rgb) float64 {
	return .2126*linear(c.r()) + .7152*linear(c.g()) + .0722*linear(c.b())
}
