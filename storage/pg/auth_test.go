package pg

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/pg/pgtest"
	"tengen/storage/storagetest"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // its own certificate
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, key: testkit.Got(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)),
		cert: &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true,
			BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign},
		file: filepath.Join(t.TempDir(), "ca.pem")}
	testkit.Write(t, a.file, a.sign(a.cert, a.key))
	return a
}

// sign gives the certificate of a key in PEM.
func (a *authority) sign(c *x509.Certificate, key *ecdsa.PrivateKey) []byte {
	der := testkit.Got(x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, a.key))
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// host is an address of this machine with a certificate of an authority.
type host struct{ ip, dir, cert, key string }

func (a *authority) host(t *testing.T) host {
	h := host{ip: fmt.Sprintf("127.%d.%d.%d", 1+mathrand.IntN(254), mathrand.IntN(256), 1+mathrand.IntN(254)),
		dir: pgtest.Dir(t)}
	probe, err := net.Listen("tcp", h.ip+":5432")
	if err != nil {
		t.Skip("no further loopback addresses here")
	}
	testkit.Must(t, probe.Close())
	key := testkit.Got(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	h.cert = h.file(t, "cert.pem", a.sign(&x509.Certificate{SerialNumber: big.NewInt(2), NotAfter: a.cert.NotAfter,
		IPAddresses: []net.IP{net.ParseIP(h.ip)}}, key))
	h.key = h.file(t, "key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY",
		Bytes: testkit.Got(x509.MarshalPKCS8PrivateKey(key))}))
	return h
}

// file writes a file that the server may read.
func (h host) file(t *testing.T, name string, data []byte) string {
	pgtest.Write(t, filepath.Join(h.dir, name), data)
	return filepath.Join(h.dir, name)
}

// guarded starts a server that takes connections over TCP with TLS and a password alone, at an address of its own.
func guarded(t *testing.T, a *authority) (s *pgtest.Server, ip string) {
	h := a.host(t)
	return pgtest.Start(t, "listen_addresses="+h.ip, "ssl=on", "ssl_cert_file="+h.cert, "ssl_key_file="+h.key,
		"hba_file="+h.file(t, "hba.conf", []byte("local all all trust\nhostssl all all 127.0.0.0/8 scram-sha-256\n"))), h.ip
}

const secret = "hunter2'?"

// TestLogin: a server is believed by its certificate, and a role by its password, from wherever it comes. What is
// refused is refused at once, in words, and without the password.
func TestLogin(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	s, ip := guarded(t, a)
	s.Do(t, "CREATE ROLE games LOGIN PASSWORD 'hunter2''?'; GRANT CREATE ON DATABASE postgres TO games")
	dir := t.TempDir()
	passfile := filepath.Join(dir, "pgpass")
	testkit.Write(t, passfile, []byte("elsewhere:*:*:*:wrong\n"+ip+":5432:postgres:games:"+secret+"\n"))
	address := func(host, ca string) string {
		return fmt.Sprintf("postgres://games@%s/postgres?sslmode=verify-full&sslrootcert=%s", host, ca)
	}
	good := address(ip, a.file)
	enters := func(what string, o Options) {
		t.Helper()
		storagetest.Put(t, open(t, s, o), []byte("k"), []byte(what))
	}
	enters("a password", Options{Address: good, Password: secret})
	enters("a password in the address", Options{
		Address: strings.Replace(good, "games@", "games:hunter2%27%3F@", 1)})
	t.Setenv("PGPASSFILE", passfile)
	enters("a password file", Options{Address: good})
	if s.Do(t, "SELECT count(*) FROM pg_stat_ssl WHERE ssl") == "0" {
		t.Error("no connection has TLS")
	}
	t.Setenv("PGPASSFILE", "")

	elsewhere := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, ip+":5432")
	}
	refused(t, "another authority", "certificate signed by unknown authority",
		Options{Address: address(ip, other.file), Password: secret})
	refused(t, "another authority, whatever the name", "certificate signed by unknown authority",
		Options{Address: strings.Replace(address(ip, other.file), "full", "ca", 1), Password: secret})
	refused(t, "another name", "wanted to match localhost",
		Options{Address: address("localhost", a.file), Password: secret, dial: elsewhere})
	refused(t, "no such authority", "none.pem: no such file",
		Options{Address: address(ip, dir+"/none.pem"), Password: secret})
	refused(t, "without TLS", "no encryption",
		Options{Address: strings.Replace(good, "verify-full", "disable", 1), Password: secret})
	refused(t, "a wrong password", "password authentication failed", Options{Address: good, Password: secret + "!"})
	refused(t, "a wrong password in the address", "password authentication failed",
		Options{Address: strings.Replace(good, "games@", "games:hunter2@", 1)})
	refused(t, "no password", "password authentication failed", Options{Address: good})
	refused(t, "no such role", "password authentication failed",
		Options{Address: strings.Replace(good, "games@", "guest@", 1), Password: secret})
	s.Restart(t, "ssl=off")
	refused(t, "TLS of a server without", "server refused TLS connection", Options{Address: good, Password: secret})
}

// TestLoginAtPooler: a pooler asks for a password and shows a certificate of its own, and is believed as a server is.
func TestLoginAtPooler(t *testing.T) {
	t.Parallel()
	a, other := newAuthority(t), newAuthority(t)
	h, s := a.host(t), pgtest.Start(t)
	pgtest.NewPooler(t, s, "listen_addr = "+h.ip, "auth_type = scram-sha-256",
		"auth_file = "+h.file(t, "users", []byte(`"games" "`+secret+`"`)),
		"client_tls_sslmode = require", "client_tls_cert_file = "+h.cert, "client_tls_key_file = "+h.key)
	at := func(ca string) string {
		return fmt.Sprintf("postgres://games@%s:6432/postgres?sslmode=verify-full&sslrootcert=%s", h.ip, ca)
	}
	storagetest.Put(t, open(t, s, Options{Address: at(a.file), Password: secret}), []byte("k"), []byte("v"))
	refused(t, "another authority", "certificate signed by unknown authority",
		Options{Address: at(other.file), Password: secret})
	refused(t, "without TLS", "SSL required",
		Options{Address: strings.Replace(at(a.file), "verify-full", "disable", 1), Password: secret})
	refused(t, "a wrong password", "authentication failed", Options{Address: at(a.file), Password: secret + "!"})
	refused(t, "no such role", "authentication failed",
		Options{Address: strings.Replace(at(a.file), "games@", "guest@", 1), Password: secret})
}

// refused opens what must be refused at once, in words, and without the password.
func refused(t *testing.T, what, want string, o Options) {
	t.Helper()
	db, err := Open(t.Context(), o)
	if err == nil {
		err = errors.Join(errors.New("opened"), db.Close())
	}
	if Unreachable(err) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter") {
		t.Errorf("%s: %v; want %q in it", what, err, want)
	}
}

// TestAddress: an address that cannot be read is not quoted, since a password stands somewhere in it.
func TestAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"hunter2": "neither postgres://", "host=a password=x hunter2 dbname=b": "neither postgres://",
		"postgres://games:hunter2@a/b?%": "neither postgres://", "host=a password = hunter2 port=b": "invalid port",
		"postgres://games:b/hunter2@a": "invalid port", "host=a password = hunter2 sslmode=full": "sslmode is invalid",
		"host=a password = hunter2 pool_max_conns=0": "pool_max_conns too small",
	} {
		err := Options{Address: address}.Check()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: %v; want %q in it", address, err, want)
		}
	}
}
