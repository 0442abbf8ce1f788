/* Nothing is called by name: the linker finds it. */
