package etcd

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"tengen/internal/testkit"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/storagetest"
)

// withPassword starts a server that wants one, of the user bot for the prefix bots/one.
func withPassword(t *testing.T) *etcdtest.Cluster {
	t.Helper()
	c := etcdtest.Start(t, 1)
	admin := testkit.Got(clientv3.New(clientv3.Config{Endpoints: c.Endpoints, Logger: zap.NewNop()}))
	defer admin.Close()
	for _, step := range []struct {
		do   func(ctx context.Context) error
		done error // that it was done already, by a try that nobody answered
	}{
		{func(ctx context.Context) error { _, err := admin.UserAdd(ctx, "root", "admin"); return err }, rpctypes.ErrUserAlreadyExist},
		{func(ctx context.Context) error { _, err := admin.UserGrantRole(ctx, "root", "root"); return err }, nil},
		{func(ctx context.Context) error { _, err := admin.UserAdd(ctx, "bot", "secret"); return err }, rpctypes.ErrUserAlreadyExist},
		{func(ctx context.Context) error { _, err := admin.RoleAdd(ctx, "bot"); return err }, rpctypes.ErrRoleAlreadyExist},
		{func(ctx context.Context) error {
			_, err := admin.RoleGrantPermission(ctx, "bot", "bots/one/", "bots/one0",
				clientv3.PermissionType(clientv3.PermReadWrite))
			return err
		}, nil},
		{func(ctx context.Context) error { _, err := admin.UserGrantRole(ctx, "bot", "bot"); return err }, nil},
		{func(ctx context.Context) error { _, err := admin.AuthEnable(ctx); return err }, rpctypes.ErrUserEmpty},
	} {
		for end := time.Now().Add(2 * time.Minute); ; {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			err := step.do(ctx)
			cancel()
			if err == nil || step.done != nil && errors.Is(err, step.done) {
				break
			}
			if !passing(err) || time.Now().After(end) { // a busy server says that it had no time
				t.Fatal(err)
			}
		}
	}
	return c
}

func TestPassword(t *testing.T) {
	t.Parallel()
	c := withPassword(t)
	ctx, long := t.Context(), 2*time.Minute // a busy server takes seconds for a password
	db := open(t, c, Options{Prefix: "bots/one", User: "bot", Password: "secret", Patience: long})
	storagetest.Put(t, db, "a", "1")
	for name, o := range map[string]Options{
		"no password":      {Prefix: "bots/one"},
		"a wrong password": {Prefix: "bots/one", User: "bot", Password: "guess"},
		"another prefix":   {Prefix: "bots/two", User: "bot", Password: "secret"},
	} {
		o.Endpoints, o.Patience = c.Endpoints, long
		switch db, err := Open(ctx, o); {
		case err == nil:
			t.Errorf("opened with %s", name)
			db.Close()
		case Unreachable(err):
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPasswordAskedForOnce: a process that keeps a lease alive does not ask for a token with
// every beat: each token costs the servers a tenth of a second.
func TestPasswordAskedForOnce(t *testing.T) {
	t.Parallel()
	c := withPassword(t)
	var s spoil
	var asked atomic.Int64
	s.by(func(_ context.Context, method string, _ any) (request, answer bool) {
		if method == "/etcdserverpb.Auth/Authenticate" {
			asked.Add(1)
		}
		return false, false
	})
	db := open(t, c, Options{Prefix: "bots/one", User: "bot", Password: "secret", Patience: 2 * time.Minute,
		dial: s.option()})
	var l *clientv3.LeaseGrantResponse
	testkit.Must(t, db.ask(t.Context(), func(ctx context.Context) (err error) {
		l, err = db.client.Grant(ctx, 60)
		return err
	}))
	before, streams, h := asked.Load(), int64(1), heart{db: db}
	for beats, end := 0, time.Now().Add(time.Minute); beats < 20; {
		switch lives, err := h.beat(t.Context(), l.ID); {
		case err == nil && lives > 0:
			beats++
		case err == nil || time.Now().After(end):
			t.Fatalf("lives for %v, %v", lives, err)
		default: // a busy server
			streams++
		}
	}
	if n := asked.Load() - before; n > streams {
		t.Errorf("a token was asked for %d times on %d streams while a lease was renewed twenty times", n, streams)
	}
}

// TestPasswordLate: where the servers are slow to take the password it is asked again.
func TestPasswordLate(t *testing.T) {
	t.Parallel()
	c := withPassword(t)
	var s spoil
	var lost atomic.Int64
	s.by(func(_ context.Context, method string, _ any) (request, answer bool) {
		return method == "/etcdserverpb.Auth/Authenticate" && lost.Add(1) < 4, false
	})
	db := open(t, c, Options{Prefix: "bots/one", User: "bot", Password: "secret", Patience: 2 * time.Minute,
		dial: s.option()})
	storagetest.Put(t, db, "a", "1")
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	start := time.Now()
	_, err := Open(t.Context(), Options{Endpoints: []string{"http://127.0.0.1:1"}, Try: 50 * time.Millisecond,
		Patience: 200 * time.Millisecond})
	if !Unreachable(err) || time.Since(start) > time.Minute {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	t.Log(err)
	if _, err := Open(t.Context(), Options{}); err == nil {
		t.Error("opened without endpoints")
	}
}

// TestTLS opens a store over TLS, for which client and server show certificates.
func TestTLS(t *testing.T) {
	t.Parallel()
	key := testkit.Got(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert := testkit.Got(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
	private := testkit.Got(x509.MarshalECPrivateKey(key))
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	testkit.Must(t, errors.Join(os.WriteFile(certFile, certPEM, 0o600), os.WriteFile(keyFile, keyPEM, 0o600)))
	c := etcdtest.Start(t, 1, "--cert-file", certFile, "--key-file", keyFile, "--client-cert-auth",
		"--trusted-ca-file", certFile)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certPEM)
	pair := testkit.Got(tls.X509KeyPair(certPEM, keyPEM))
	db := open(t, c, Options{TLS: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}})
	storagetest.Put(t, db, "a", "1")
	for name, config := range map[string]*tls.Config{
		"no certificate": {RootCAs: roots}, "an unknown server": {Certificates: []tls.Certificate{pair}},
		"no configuration": nil,
	} {
		if db, err := Open(t.Context(),
			Options{Endpoints: c.Endpoints, TLS: config, Patience: 300 * time.Millisecond}); err == nil {
			t.Errorf("opened with %s", name)
			db.Close()
		}
	}
}
