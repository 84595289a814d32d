package main

import (
	"net"
	"net/netip"

	"tengen/bot/web"
	"tengen/storage"
)

// pages makes the server of the board as a page, and opens its port; nil where the configuration asks for none. It
// serves once the bot is there.
func (h *hosting) pages(store *storage.Store) (*web.Server, net.Listener, error) {
	c := h.config.Web
	if c.Address == "" {
		return nil, nil, nil
	}
	l, err := listen("web", c.Address, c.Cert, c.Key)
	if err != nil {
		return nil, nil, err
	}
	var proxies []netip.Prefix
	for _, text := range c.Proxy {
		p, err := network(text)
		if err != nil {
			l.Close()
			return nil, nil, err
		}
		proxies = append(proxies, p)
	}
	h.log.Info("listening", "for", "pages", "address", l.Addr().String())
	return web.New(web.Config{Store: store, URL: c.URL, Proxies: proxies, Log: h.log}), l, nil
}
