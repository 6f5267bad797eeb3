"""Makes the tokenizer that the other tools want, from nothing but Python.

A byte-level BPE, learned from the topics of Python's own help: about four
characters of English a token, so that prompts of so many tokens are about as long
as those that weir bench makes. No model hub is asked: the folder has the layout
of the hub's cache, since AIPerf takes no other path while it is offline.
"""
import json
import pathlib
import pydoc_data.topics
import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

END = "<|end|>"
REVISION = "1" * 40

hub = pathlib.Path(sys.argv[1]) / "hub" / "models--weir--bytes"
folder = hub / "snapshots" / REVISION
folder.mkdir(parents=True, exist_ok=True)
(hub / "refs").mkdir(exist_ok=True)
(hub / "refs" / "main").write_text(REVISION)

tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
trainer = trainers.BpeTrainer(
    vocab_size=8192,
    special_tokens=[END],
    initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    show_progress=False,
)
tokenizer.train_from_iterator(pydoc_data.topics.topics.values(), trainer)
tokenizer.save(str(folder / "tokenizer.json"))

(folder / "config.json").write_text('{"model_type": "gpt2"}')
(folder / "tokenizer_config.json").write_text(json.dumps({
    "tokenizer_class": "PreTrainedTokenizerFast",
    "bos_token": END,
    "eos_token": END,
    "pad_token": END,
    "model_max_length": 131072,
    "clean_up_tokenization_spaces": False,
    "chat_template": "{% for m in messages %}{{ m['content'] }}{% endfor %}",
}))
print(folder)
