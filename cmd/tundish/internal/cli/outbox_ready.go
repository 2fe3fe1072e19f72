package cli

import "github.com/tundish-go/tundish/cmd/tundish/internal/config"

// checkReceivers looks, before a worker begins, whether what its routes name is
// there: a secret that cannot be read is better told now than with each send. What
// may still come, such as a program, is a warning.
func (s *session) checkReceivers(made Receivers, delivers []string, o *config.Outbox) error {
	seen := map[spec]bool{}
	check := func(what, text string, forms ...string) error {
		to, err := parseSpec(what, text, forms...)
		if err != nil || seen[to] {
			return err
		}
		seen[to] = true
		warning, err := made.Check(to.form, to.rest)
		if warning != "" {
			s.note("%s", warning)
		}
		return err
	}
	for _, text := range delivers {
		_, to := splitDeliver(text)
		if err := check("receiver", to, delivererForms()...); err != nil {
			return err
		}
	}
	if o == nil {
		return nil
	}
	for _, r := range o.Routes {
		if err := check("receiver", r.Deliver, delivererForms()...); err != nil {
			return err
		}
		for _, text := range []string{r.Verify, r.Ledger} {
			if text == "" {
				continue
			}
			if err := check("verifier", text, verifierForms()...); err != nil {
				return err
			}
		}
	}
	return nil
}
