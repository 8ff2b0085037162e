// What the tests use of fontkit, which has no types of its own.

declare module 'fontkit' {
  export function openSync(file: string): {
    readonly unitsPerEm: number;
    layout(text: string): { readonly advanceWidth: number };
  };
}
