package main

import (
	"crypto/ed25519"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"tengen/bot/discord"
)

// endpoint opens the port to which Discord sends interactions; nil where they come by the
// gateway.
func (c config) endpoint() (*discord.EndpointOptions, error) {
	if c.Discord.Transport != byHTTP {
		return nil, nil
	}
	o := &discord.EndpointOptions{Path: c.HTTP.Path, MaxAge: c.HTTP.MaxAge, Drain: c.HTTP.Drain}
	if c.HTTP.PublicKey != "" {
		key, err := publicKey(c.HTTP.PublicKey)
		if err != nil {
			return nil, err
		}
		o.Key = key
	}
	l, err := listen("http", c.HTTP.Address, c.HTTP.Cert, c.HTTP.Key)
	o.Listener = l
	return o, err
}

// listen opens the port of a section of the configuration: for https where it names a certificate.
func listen(section, address, cert, key string) (net.Listener, error) {
	var certs *certificates
	if cert != "" {
		certs = &certificates{cert: cert, key: key}
		if _, err := certs.get(nil); err != nil {
			return nil, fmt.Errorf("the certificate of %s: %w", section, err)
		}
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s address: %w", section, err)
	}
	if certs != nil {
		l = tls.NewListener(l, &tls.Config{GetCertificate: certs.get, MinVersion: tls.VersionTLS12})
	}
	return l, nil
}

// publicKey reads the key of an application as the Developer Portal shows it.
func publicKey(s string) (ed25519.PublicKey, error) {
	key, err := hex.DecodeString(strings.TrimSpace(s))
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, errors.New("not a public key: 64 digits and letters a to f, as the General Information page shows it")
	}
	return key, nil
}

// certificates serve the certificate of two files, and read it again when the files have
// changed: certificates live for weeks only.
type certificates struct {
	cert, key string

	mu      sync.Mutex
	looked  time.Time
	changed time.Time
	now     *tls.Certificate
}

const lookAtCertificate = time.Minute

func (c *certificates) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != nil && time.Since(c.looked) < lookAtCertificate {
		return c.now, nil
	}
	c.looked = time.Now()
	info, err := os.Stat(c.cert)
	if err == nil && c.now != nil && info.ModTime().Equal(c.changed) {
		return c.now, nil
	}
	var pair tls.Certificate
	if err == nil {
		pair, err = readKeyPair(c.cert, c.key)
	}
	switch {
	case err == nil:
		c.now, c.changed = &pair, info.ModTime()
	case c.now == nil:
		return nil, err
	}
	return c.now, nil // the old certificate serves while new files are being written
}

// describeEndpoint logs whether the Developer Portal sends interactions where the configuration
// expects them.
func (h *hosting) describeEndpoint(a discord.Application) {
	const page = " on the General Information page of the Developer Portal"
	c := h.config.HTTP
	if h.config.Discord.Transport != byHTTP {
		if a.Endpoint != "" {
			h.log.Error("the application has an interactions endpoint URL: "+
				"Discord sends all commands there and none to this program;"+
				" empty that field"+page+", or set discord.transport to http", "url", a.Endpoint)
		}
		return
	}
	want := c.URL
	if want == "" {
		want = "https://YOUR-HOST" + c.Path
	}
	set, err := url.Parse(a.Endpoint)
	switch {
	case a.Endpoint == "":
		h.log.Error("the application has no interactions endpoint URL: no command will come here;"+
			" enter the URL at which this program is reached from outside"+page, "url", want)
	case c.URL != "" && a.Endpoint != c.URL:
		h.log.Error("the application has another interactions endpoint URL than this program: change it"+page+
			", or http.url", "there", a.Endpoint, "here", c.URL)
	case c.URL == "" && (err != nil || set.Path != c.Path):
		h.log.Warn("the application's interactions endpoint URL ends otherwise than http.path: "+
			"is there a proxy that changes it?", "url", a.Endpoint, "path", c.Path)
	default:
		h.log.Info("the application sends interactions here", "url", a.Endpoint)
	}
}
