package engine

const (
	us = 1e-6
	gb = 1e9
	tb = 1e12
	tf = 1e12

	mib = 1 << 20
)

const (
	kernels   = "kernel tables of ai-dynamo/aiconfigurator (systems/*.yaml for the peaks), re-analysed for shapes of 4k to 32k; docs/physics.md"
	endToEnd  = "calibrated on published end-to-end tables; docs/physics.md"
	datasheet = "datasheet peaks; shares are those of the SXM sibling, no data of its own"
)

// GPUs is the table of devices.
func GPUs() []GPU {
	return append(hopper(), append(otherNVIDIA(), amd()...)...)
}

// among puts the figures for 2, 4 and 8 devices together: latencies of small
// and large messages in us, rate in GB/s.
func among(small, large, rate [3]float64) map[int]Collective {
	all := make(map[int]Collective, len(small))
	for i, n := range []int{2, 4, 8} {
		all[n] = Collective{Latency: small[i] * us, LargeLatency: large[i] * us, BusRate: rate[i] * gb}
	}
	return all
}

// Not from the kernel tables: FP8 KV is read at the share of BF16 KV (they say
// 0.63 on H100, 0.48 on H200, which published long contexts contradict), and a
// large all-reduce costs what NCCL's does (8 devices: kvcache-ai/Mooncake PR
// 3484; fewer in proportion to A100). docs/physics.md has both.
func hopper() []GPU {
	math := func(bf16, fp8, launch float64) map[Precision]Math {
		return map[Precision]Math{
			BF16: {Peak: 989 * tf, MemoryShare: bf16, Share: 0.80, Launch: launch * us},
			FP8:  {Peak: 1979 * tf, MemoryShare: fp8, Share: 0.68, Launch: 6 * us},
		}
	}
	return []GPU{
		{
			Name: "H100", Also: []string{"h100-sxm"}, Source: kernels, Memory: 81559 * mib, Bandwidth: 3.35 * tb, Math: math(0.86, 0.82, 3.1),
			KVRead: map[Precision]float64{BF16: 0.82, FP8: 0.82}, DecodeLaunch: 8 * us, PrefillShare: 0.48,
			AllReduce: among([3]float64{4.3, 4.6, 4.8}, [3]float64{20, 27, 37}, [3]float64{332, 355, 366}), DevicesOnNode: 8,
		},
		{
			Name: "H200", Also: []string{"h200-sxm"}, Source: kernels, Memory: 143771 * mib, Bandwidth: 4.8 * tb, Math: math(0.81, 0.80, 3.3),
			KVRead: map[Precision]float64{BF16: 0.72, FP8: 0.72}, DecodeLaunch: 8 * us, PrefillShare: 0.48,
			AllReduce: among([3]float64{4.4, 4.6, 4.8}, [3]float64{20, 27, 37}, [3]float64{332, 355, 366}), DevicesOnNode: 8,
		},
		{
			Name: "H100-PCIe", Source: datasheet, Doubt: "extrapolated, no data", Memory: 81559 * mib, Bandwidth: 2.0 * tb,
			Math: map[Precision]Math{
				BF16: {Peak: 756 * tf, MemoryShare: 0.86, Share: 0.75, Launch: 3.1 * us},
				FP8:  {Peak: 1513 * tf, MemoryShare: 0.82, Share: 0.60, Launch: 6 * us},
			},
			KVRead: map[Precision]float64{BF16: 0.82, FP8: 0.82}, DecodeLaunch: 8 * us, PrefillShare: 0.48,
			AllReduce: among([3]float64{10, 18, 35}, [3]float64{40, 40, 40}, [3]float64{30, 30, 30}), DevicesOnNode: 8,
		},
	}
}

// FP8 KV on A100 is not measured: as BF16. Its large all-reduces are those of
// aiconfigurator's a100_sxm table, from 8 MB on.
func otherNVIDIA() []GPU {
	return []GPU{
		{
			Name: "A100", Also: []string{"a100-sxm"}, Source: kernels, Memory: 81920 * mib, Bandwidth: 2.04 * tb,
			Math:   map[Precision]Math{BF16: {Peak: 312 * tf, MemoryShare: 0.74, Share: 0.85, Launch: 4.7 * us}},
			KVRead: map[Precision]float64{BF16: 0.70, FP8: 0.70}, DecodeLaunch: 12 * us, PrefillShare: 0.48,
			AllReduce: among([3]float64{4.9, 5.2, 5.7}, [3]float64{45, 62, 85}, [3]float64{199, 221, 228}), DevicesOnNode: 8,
		},
		{
			Name: "A100-PCIe", Source: datasheet, Doubt: "extrapolated, no data", Memory: 81920 * mib, Bandwidth: 1.94 * tb,
			Math:   map[Precision]Math{BF16: {Peak: 312 * tf, MemoryShare: 0.74, Share: 0.80, Launch: 4.7 * us}},
			KVRead: map[Precision]float64{BF16: 0.70, FP8: 0.70}, DecodeLaunch: 12 * us, PrefillShare: 0.48,
			AllReduce: among([3]float64{12, 20, 40}, [3]float64{40, 40, 40}, [3]float64{14, 14, 14}), DevicesOnNode: 8,
		},
		{
			Name: "B200", Also: []string{"b200-sxm"}, Source: kernels, Memory: 183359 * mib, Bandwidth: 7.7 * tb,
			Math: map[Precision]Math{
				BF16: {Peak: 2250 * tf, MemoryShare: 0.75, Share: 0.68, Launch: 2.8 * us},
				FP8:  {Peak: 4500 * tf, MemoryShare: 0.68, Share: 0.45, Launch: 5.6 * us},
				FP4:  {Peak: 9000 * tf, MemoryShare: 0.55, Share: 0.45, Launch: 6.4 * us},
			},
			KVRead: map[Precision]float64{BF16: 0.80, FP8: 0.75}, DecodeLaunch: 6.5 * us, PrefillShare: 0.52,
			AllReduce: among([3]float64{6.8, 7.2, 7.7}, [3]float64{16, 16, 16}, [3]float64{555, 614, 723}), DevicesOnNode: 8,
		},
		{
			Name: "L40S", Source: endToEnd, Memory: 46068 * mib, Bandwidth: 0.864 * tb,
			Math: map[Precision]Math{
				BF16: {Peak: 362 * tf, MemoryShare: 0.85, Share: 0.65, Launch: 4 * us},
				FP8:  {Peak: 733 * tf, MemoryShare: 0.80, Share: 0.68, Launch: 6 * us},
			},
			KVRead: map[Precision]float64{BF16: 0.80, FP8: 0.80}, DecodeLaunch: 10 * us, PrefillShare: 0.48,
			AllReduce: among([3]float64{12, 20, 40}, [3]float64{40, 40, 40}, [3]float64{16, 16, 16}), DevicesOnNode: 8,
		},
	}
}

func amd() []GPU {
	return []GPU{{
		Name: "MI300X", Source: endToEnd, Memory: 196592 * mib, Bandwidth: 5.3 * tb,
		Doubt: "compute share and all-reduce latency are not identified; a bundle for 8 devices in FP8, no prediction",
		Math: map[Precision]Math{
			BF16: {Peak: 1307 * tf, MemoryShare: 0.59, Share: 0.60, Launch: 3 * us},
			FP8:  {Peak: 2614 * tf, MemoryShare: 0.59, Share: 0.60, Launch: 3 * us},
		},
		KVRead: map[Precision]float64{BF16: 0.55, FP8: 0.55}, DecodeLaunch: 10 * us, PrefillShare: 0.48,
		AllReduce: among([3]float64{8, 8, 8}, [3]float64{30, 30, 30}, [3]float64{310, 310, 310}), HostStep: 3e-3, DevicesOnNode: 8,
	}}
}
