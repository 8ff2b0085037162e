// `chat ask` from its parsed arguments to an exit code: what is asked, where it is kept, how it is shown.
