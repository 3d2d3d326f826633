// SPDX-License-Identifier: Apache-2.0

// Command plugin is the CNI plugin that delays a new pod until the policy agent has its address. It is the last plugin
// in the chain and changes nothing.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"
)

const (
	socket = "/run/realnode-policy.sock"
	limit  = 20 * time.Second
)

type config struct {
	CNIVersion string          `json:"cniVersion"`
	PrevResult json.RawMessage `json:"prevResult"`
}

func main() {
	var c config
	err := json.NewDecoder(os.Stdin).Decode(&c)
	switch os.Getenv("CNI_COMMAND") {
	case "VERSION":
		fmt.Println(`{"cniVersion": "0.4.0", "supportedVersions": ["0.3.1", "0.4.0", "1.0.0"]}`)
		return
	case "ADD":
		if err == nil {
			err = report(c)
		}
		if err == nil {
			_, err = os.Stdout.Write(c.PrevResult)
		}
	}
	if err != nil {
		// CNI requires errors in this format.
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"cniVersion": c.CNIVersion, "code": 100, "msg": "network policies: " + err.Error()})
		os.Exit(1)
	}
}

// report sends the pod's address to the agent and waits for the response.
func report(c config) error {
	var prev struct {
		IPs []struct {
			Address string `json:"address"`
		} `json:"ips"`
	}
	if err := json.Unmarshal(c.PrevResult, &prev); err != nil {
		return fmt.Errorf("parsing the result of the previous plugin: %w", err)
	}
	if len(prev.IPs) == 0 {
		return errors.New("the previous plugin returned no address")
	}
	ip, err := netip.ParsePrefix(prev.IPs[0].Address)
	if err != nil {
		return err
	}
	args := map[string]string{}
	for _, pair := range strings.Split(os.Getenv("CNI_ARGS"), ";") {
		k, v, _ := strings.Cut(pair, "=")
		args[k] = v
	}
	conn, err := net.DialTimeout("unix", socket, limit)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	if err := json.NewEncoder(conn).Encode(map[string]string{
		"namespace": args["K8S_POD_NAMESPACE"], "name": args["K8S_POD_NAME"], "ip": ip.Addr().String(),
	}); err != nil {
		return err
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		return err
	}
	if text := strings.TrimSpace(string(answer)); text != "" {
		return errors.New(text)
	}
	return nil
}
