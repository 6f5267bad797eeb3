package plan

import (
	"weir.dev/weir"
	"weir.dev/weir/internal/engine"
)

// Cost is USD per million tokens while a load lasts, idle time included.
type Cost struct {
	GPUHour float64           `json:"usd_per_gpu_hour"`
	Output  weir.Opt[float64] `json:"usd_per_million_output_tokens"` // if answers bear it all
	All     weir.Opt[float64] `json:"usd_per_million_tokens"`        // if each token bears the same

	// If prompts and answers bear it as they would take the devices' time alone:
	// a prompt by itself, an answer in a batch as large as that of the load.
	InputShare  weir.Opt[float64] `json:"usd_per_million_input_tokens_by_time"`
	OutputShare weir.Opt[float64] `json:"usd_per_million_output_tokens_by_time"`
}

// Cost is what an outcome's tokens cost at a price of a device.
func (o *Outcome) Cost(gpuHour float64) (Cost, error) {
	in, known := o.Input().Value.Get()
	out, _ := o.Output().Value.Get()
	c := Cost{GPUHour: gpuHour}
	if !known || !(out > 0) {
		return c, nil
	}
	perSecond := gpuHour * float64(o.Setup.Deployment.TP) / 3600 * 1e6
	prefill, decode, err := o.perToken()
	if err != nil {
		return c, err
	}
	busy := in*prefill + out*decode
	c.Output, c.All = weir.Some(perSecond/out), weir.Some(perSecond/(in+out))
	c.InputShare, c.OutputShare = weir.Some(perSecond*prefill/busy), weir.Some(perSecond*decode/busy)
	return c, nil
}

// perToken is how long a token of a prompt and of an answer take, in seconds.
func (o *Outcome) perToken() (in, out float64, err error) {
	p, err := engine.NewPhysics(o.Setup.Deployment)
	if err != nil {
		return 0, 0, err
	}
	prompt, output := o.Setup.Lengths.Mean()
	for _, b := range prefill(p, max(1, int(prompt))) {
		in += p.Cost(b).Time().Seconds() / prompt
	}
	n := max(1, int(o.decoding()+0.5))
	step := p.Cost(decoding(p, n, int(prompt+output/2))).Time().Seconds()
	return in, step / (float64(n) * p.Speculation.Expected()), nil
}
