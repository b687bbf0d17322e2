"""OpenAI's protocol, as OpenAI, Azure OpenAI, compatible endpoints and the embedded model speak it."""
