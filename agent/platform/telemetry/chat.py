"""A chat model whose calls are spans, as OpenTelemetry's conventions for generative AI have them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Unpack

from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from opentelemetry.semconv.attributes.error_attributes import ERROR_TYPE
from opentelemetry.trace import SpanKind, Tracer

from agent.platform.llm.chat import MAX_TOKENS
from agent.platform.llm.wrappers.base import WrappedModel
from agent.platform.telemetry.metrics import CALLS, TOKENS, Metrics
from agent.platform.telemetry.question import current, error_type, fail, messages_json
from agent.platform.telemetry.trace import STEP

if TYPE_CHECKING:
    from agent.platform.llm.chat import ChatModel, ChatRequest, Message, Reply


class TracedModel(WrappedModel):
    """A chat model like the one it wraps, whose calls are recorded; with `content`, prompts and replies, too."""

    def __init__(self, model: ChatModel, provider: str, tracer: Tracer, metrics: Metrics, *, content: bool) -> None:
        super().__init__(model)
        self._provider = provider
        self._tracer, self._metrics, self._content = tracer, metrics, content

    async def complete(self, messages: list[Message], **request: Unpack[ChatRequest]) -> Reply:
        """See `ChatModel.complete`."""
        named = {
            gen_ai.GEN_AI_OPERATION_NAME: "chat",
            gen_ai.GEN_AI_PROVIDER_NAME: self._provider,
            gen_ai.GEN_AI_REQUEST_MODEL: self.name,
        }
        wanted = {
            gen_ai.GEN_AI_REQUEST_MAX_TOKENS: request.get("max_tokens", MAX_TOKENS),
            gen_ai.GEN_AI_REQUEST_TEMPERATURE: request.get("temperature", 0.0),
        }
        start, failure = time.perf_counter(), {}
        span = self._tracer.start_span(f"chat {self.name}", kind=SpanKind.CLIENT, attributes={**named, **wanted})
        if self._content:
            messages_text = messages_json([(message.role, message.content) for message in messages])
            span.set_attribute(gen_ai.GEN_AI_INPUT_MESSAGES, messages_text)
        try:
            with current(span):
                reply = await super().complete(messages, **request)
            usage = reply.usage
            span.set_attributes(
                {
                    gen_ai.GEN_AI_USAGE_INPUT_TOKENS: usage.prompt_tokens,
                    gen_ai.GEN_AI_USAGE_OUTPUT_TOKENS: usage.completion_tokens,
                    gen_ai.GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS: usage.cached_tokens,
                    gen_ai.GEN_AI_RESPONSE_FINISH_REASONS: ["length" if reply.truncated else "stop"],
                }
            )
            if self._content:
                span.set_attribute(gen_ai.GEN_AI_OUTPUT_MESSAGES, messages_json([("assistant", reply.text)]))
            step = {**named, "text2sql.node": STEP.get()}
            self._metrics.record(TOKENS, usage.prompt_tokens, {**step, gen_ai.GEN_AI_TOKEN_TYPE: "input"})
            self._metrics.record(TOKENS, usage.completion_tokens, {**step, gen_ai.GEN_AI_TOKEN_TYPE: "output"})
        except BaseException as error:
            failure = {ERROR_TYPE: error_type(error)}
            fail(span, error_type(error))
            raise
        else:
            return reply
        finally:
            span.end()
            self._metrics.record(CALLS, time.perf_counter() - start, named | failure)
