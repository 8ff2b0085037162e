// Lets answers of workers come in, between two pieces of work that wait for nothing.

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
