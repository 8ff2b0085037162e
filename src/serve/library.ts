// The protocol library: large, so it is loaded where something is served, and handed on.

export type Library = typeof import('@modelcontextprotocol/server');

export const loadLibrary = (): Promise<Library> => import('@modelcontextprotocol/server');
