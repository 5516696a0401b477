"""Sessions as environments of TRL's ``GRPOTrainer`` (1.16). Requires the packages ``trl`` and ``torch``.

``TextEnvironment`` is for models that call tools (``environment_factory=``). ``play_rollouts`` is a ``rollout_func`` for
any model with a chat template: it writes each reply as text, and the tokens of the world are masked.

The prompt of a row is ``SPLIT SEED``, such as ``train 17``: the completions of a group play the same episode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from msgspec.structs import asdict

from otherminds.api.sessions import Session, Turn
from otherminds.core.data import Message
from otherminds.core.encoding import read_seed
from otherminds.core.errors import StudyError
from otherminds.core.record import Record


class TextEnvironment:
    """An environment whose one tool is ``reply``.

    >>> from functools import partial
    >>> import otherminds as om
    >>> factory = partial(TextEnvironment, lambda: om.session("rps-mixed-v1", options={"rounds": 3}, ask=False))
    >>> environment = factory()
    >>> "Which Option do you choose" in environment.reset(seed=7)
    True
    """

    def __init__(self, make_session: Callable[[], Session]) -> None:
        self._session = make_session()

    def reset(self, seed: int | None = None, split: str | None = None, **row: Any) -> str:
        """Starts the episode of a dataset's row, whose other columns are not used."""
        turn = _first_turn(self._session, seed, split)
        return "\n\n".join(message.content for message in turn.messages)

    def reply(self, text: str) -> str:
        """Say what you do, in the form that was asked for.

        Args:
            text: One of the valid answers.

        Returns:
            What happened, and what is asked next.
        """
        turn = self._session.step(text)
        return turn.observation if isinstance(turn, Turn) else "The episode is over."

    def get_reward(self) -> float:
        """The return of the episode; one that is not over is left."""
        self._session.leave()
        return self._session.reward


def _first_turn(session: Session, seed: int | None, split: str | None) -> Turn:
    turn = session.reset(seed, split)
    if not isinstance(turn, Turn):
        raise StudyError(f"the client has nothing to decide in this episode: {turn.outcome.reason}")
    return turn


Tokens: TypeAlias = list[int]


class _Rollout:
    """One episode as tokens: the prompt, the completion, and which of its tokens the model wrote."""

    def __init__(self, session: Session, row: str, tokenizer: Any) -> None:
        split, _, seed = row.partition(" ")
        self.session, self.tokenizer = session, tokenizer
        turn = _first_turn(session, read_seed(seed), split)
        self.messages: tuple[Message, ...] = turn.messages
        self.prompt: Tokens = self._render(self.messages)
        self.completion: Tokens = []
        self.mask: list[int] = []
        self.is_over = False

    def take(self, reply: Tokens) -> None:
        """Adds the model's ``reply`` and what the world says to it."""
        self.completion += reply
        self.mask += [1] * len(reply)
        text = self.tokenizer.decode(reply, skip_special_tokens=True)
        turn = self.session.step(text)
        if not isinstance(turn, Turn):
            self.is_over = True
            return
        # What the template writes after the reply, whose end mark the model may have written itself.
        opened = self._text(self.messages, opened=True) + text
        self.messages = (*self.messages, Message("assistant", text), turn.messages[-1])
        rest = self._text(self.messages, opened=True)[len(opened) :]
        if reply[-1] == self.tokenizer.eos_token_id:
            rest = rest.removeprefix(self.tokenizer.eos_token)
        added = self.tokenizer(rest, add_special_tokens=False)["input_ids"]
        self.completion += added
        self.mask += [0] * len(added)

    def _render(self, messages: Sequence[Message]) -> Tokens:
        return self.tokenizer(self._text(messages, opened=True), add_special_tokens=False)["input_ids"]

    def _text(self, messages: Sequence[Message], *, opened: bool) -> str:
        turns = [*map(asdict, messages)]
        return self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=opened)


def play_rollouts(
    make_session: Callable[[], Session], max_new_tokens: int = 8, keep: Callable[[Record], None] | None = None
) -> Callable[[list[Any], Any], dict[str, Any]]:
    """A ``rollout_func`` of TRL that plays one episode for each prompt, all of a batch together.

    The result has ``prompt_ids``, ``completion_ids``, ``env_mask`` (1 for the model's tokens) and ``returns``, which
    reward functions receive. ``keep`` is given the record of each episode. The model sees one conversation,
    of its replies and the observations. With the strategy ``chat`` these are the prompts of the record, but for replies
    without an answer, which the model sees again and the record's next prompt leaves out.
    """
    pool: list[Session] = []

    def rollout(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        pool.extend(make_session() for _ in range(len(prompts) - len(pool)))
        tokenizer = trainer.processing_class
        rollouts = [
            _Rollout(session, _row(prompt), tokenizer) for session, prompt in zip(pool, prompts, strict=False)
        ]
        model = trainer.accelerator.unwrap_model(trainer.model)
        while active := [rollout for rollout in rollouts if not rollout.is_over]:
            contexts = [rollout.prompt + rollout.completion for rollout in active]
            for rollout, reply in zip(
                active, sample_replies(model, tokenizer, contexts, max_new_tokens), strict=True
            ):
                rollout.take(reply)
        for rollout in rollouts:
            record = rollout.session.record
            if keep is not None and record is not None:
                keep(record)
        return {
            "prompt_ids": [rollout.prompt for rollout in rollouts],
            "completion_ids": [rollout.completion for rollout in rollouts],
            "logprobs": None,
            "env_mask": [rollout.mask for rollout in rollouts],
            "returns": [rollout.session.reward for rollout in rollouts],
        }

    return rollout


def _row(prompt: Any) -> str:
    return prompt if isinstance(prompt, str) else prompt[-1]["content"]


def sample_replies(model: Any, tokenizer: Any, contexts: list[Tokens], max_new_tokens: int) -> list[Tokens]:
    """One reply to each context, drawn at temperature 1, with its end mark unless it was cut at ``max_new_tokens``."""
    import torch  # pyright: ignore[reportMissingImports] - no extra of ours has it

    longest, end = max(map(len, contexts)), tokenizer.eos_token_id
    ids = torch.tensor(
        [[end] * (longest - len(context)) + context for context in contexts], device=model.device
    )
    mask = torch.tensor(
        [[0] * (longest - len(context)) + [1] * len(context) for context in contexts], device=model.device
    )
    replies: list[Tokens] = [[] for _ in contexts]
    is_training = model.training
    model.eval()
    with torch.no_grad():
        cache, places = None, (mask.cumsum(1) - 1).clamp(min=0)
        for _ in range(max_new_tokens):
            out = model(
                input_ids=ids,
                attention_mask=mask,
                position_ids=places,
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            cache = out.past_key_values
            drawn = torch.multinomial(out.logits[:, -1].float().softmax(-1), 1)
            for reply, token in zip(replies, drawn[:, 0].tolist(), strict=True):
                if not reply or reply[-1] != end:
                    reply.append(token)
            if all(reply[-1] == end for reply in replies):
                break
            ids, places = drawn, places[:, -1:] + 1
            mask = torch.cat([mask, torch.ones_like(drawn)], 1)
    model.train(is_training)
    return replies
