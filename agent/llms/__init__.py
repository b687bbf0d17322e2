"""Chat models: the client, its replies, and the files of the embedded one."""
