package plan

import (
	"context"
	"slices"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine"
)

// Question is what is to be answered about a setup.
type Question struct {
	Load    Load
	SLO     weir.SLO          // empty: no limit is searched for
	GPUHour weir.Opt[float64] // USD; empty: no cost is known
	Explain bool
}

// Distribution is what requests have of a figure, by Percentiles.
type Distribution struct {
	P50 Figure `json:"p50"`
	P95 Figure `json:"p95"`
	P99 Figure `json:"p99"`
}

func distribution(at func(p float64) Figure) Distribution {
	return Distribution{at(Percentiles[0]), at(Percentiles[1]), at(Percentiles[2])}
}

func (o *Outcome) distribution(metric string) Distribution {
	return distribution(func(p float64) Figure { return o.At(metric, p) })
}

// Answer is what a deployment gives. Times are ms.
type Answer struct {
	Model   string   `json:"model"`
	GPU     string   `json:"gpu"`
	TP      int      `json:"tp"`
	Weights string   `json:"weights"`
	KV      string   `json:"kv"`
	Engine  string   `json:"engine"`
	Doubts  []string `json:"doubts"` // about its model or GPU

	Problem weir.Opt[string]  `json:"problem"`                  // why nothing was simulated; all figures are null then
	Missing weir.Opt[float64] `json:"missing_bytes_per_device"` // where the problem is memory

	Requests  int            `json:"requests"` // that count, in all seeds
	Seeds     int            `json:"seeds"`
	KeepsUp   weir.Opt[bool] `json:"keeps_up"`  // false: the queue grows without end, and waits have no distribution
	Unsettled []string       `json:"unsettled"` // percentiles that runs are too short for
	TTFT      Distribution   `json:"ttft_ms"`
	ITL       Distribution   `json:"itl_ms"`
	TPOT      Distribution   `json:"tpot_ms"`
	Speed     Distribution   `json:"output_speed"` // p95: what 95 % reach or exceed
	E2E       Distribution   `json:"e2e_ms"`
	Rate      Figure         `json:"requests_per_s"`
	Input     Figure         `json:"input_tokens_per_s"`
	Output    Figure         `json:"output_tokens_per_s"`
	UnderWay  Figure         `json:"under_way"`
	MeetsSLO  weir.Opt[bool] `json:"meets_slo"`
	Misses    string         `json:"misses,omitempty"` // the first objective that is missed
	Limit     *Limit         `json:"limit"`            // null: not asked for
	Cost      *Cost          `json:"cost"`             // at the load; null: no price
	Best      *Cost          `json:"cost_at_limit"`
	Explain   *Explanation   `json:"explanation,omitempty"`
}

// Compare asks the same of several setups. One that cannot be simulated has a
// Problem; it is an error if none can.
func Compare(ctx context.Context, setups []Setup, questions []Question, e Effort) ([]*Answer, error) {
	var answers []*Answer
	var first error
	for i, s := range setups {
		err := s.CheckPrecision()
		if err == nil {
			err = s.Check()
		}
		if err == nil {
			a, err := Ask(ctx, s, questions[i], e)
			if err != nil {
				return nil, err
			}
			answers = append(answers, a)
			continue
		}
		a := about(s)
		a.Problem = weir.Some(err.Error())
		if missing := s.Missing(); missing > 0 {
			a.Missing = weir.Some(missing)
		}
		answers = append(answers, a)
		if first == nil {
			first = err
		}
	}
	if !slices.ContainsFunc(answers, func(a *Answer) bool { return !a.Problem.Known() }) {
		return nil, first
	}
	return answers, nil
}

// about is an answer that has yet to be found.
func about(s Setup) *Answer {
	d := s.Deployment
	return &Answer{
		Model: d.Model.Name, GPU: d.GPU.Name, TP: d.TP, Weights: string(d.Weights), KV: string(d.KV), Engine: d.Profile.Name,
		Doubts: Doubts(d), Unsettled: []string{},
	}
}

// Ask simulates a setup and answers.
func Ask(ctx context.Context, s Setup, q Question, e Effort) (*Answer, error) {
	o, err := Simulate(ctx, s, q.Load, e)
	if err != nil {
		return nil, err
	}
	a := about(s)
	a.Requests, a.Seeds, a.KeepsUp, a.Unsettled = o.N(), o.Seeds(), weir.Some(o.KeepsUp()), o.Unsettled()
	a.TTFT, a.TPOT, a.E2E = o.distribution("ttft"), o.distribution("tpot"), o.distribution("e2e")
	a.Speed, a.ITL = o.distribution("output_speed"), distribution(o.ITL)
	a.Rate, a.Input, a.Output, a.UnderWay = o.Requests(), o.Input(), o.Output(), o.UnderWay()
	if len(q.SLO) > 0 {
		v := o.Judge(q.SLO)
		a.MeetsSLO, a.Misses = weir.Some(v.Met), v.Why
		if a.Limit, err = Most(ctx, s, q.Load, q.SLO, e); err != nil {
			return nil, err
		}
	}
	if err := a.price(o, q.GPUHour); err != nil {
		return nil, err
	}
	if q.Explain {
		a.Explain, err = o.Explain()
	}
	return a, err
}

// price says what the tokens cost, at the load and at the limit.
func (a *Answer) price(o *Outcome, gpuHour weir.Opt[float64]) error {
	usd, known := gpuHour.Get()
	if !known {
		return nil
	}
	c, err := o.Cost(usd)
	if err != nil {
		return err
	}
	a.Cost = &c
	if a.Limit == nil || a.Limit.at == nil {
		return nil
	}
	best, err := a.Limit.at.Cost(usd)
	a.Best = &best
	return err
}

// Doubts are why the figures of a deployment are less sure than others'.
func Doubts(d engine.Deployment) []string {
	doubts := []string{}
	if d.Model.Doubt != "" {
		doubts = append(doubts, d.Model.Name+": "+d.Model.Doubt)
	}
	if d.GPU.Doubt != "" {
		doubts = append(doubts, d.GPU.Name+": "+d.GPU.Doubt)
	}
	if _, native := d.GPU.Math[d.Weights]; !native {
		doubts = append(doubts, d.GPU.Name+" has no arithmetic in "+string(d.Weights)+": the weights are widened to bf16 as they are read")
	}
	if d.Link.Rate > 0 {
		doubts = append(doubts, "links between nodes are not held against anything")
	}
	return doubts
}
