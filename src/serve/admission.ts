// How much may be asked at a time over HTTP: what is too much is refused with a status that says when to come back, and is not kept.

import { refusal } from './guard.ts';

/** Room for one request. */
export interface Place {
  /** A further piece of its body; the refusal when that is too much. */
  takeBytes(count: number): Response | undefined;
  /** So many requests came in it; the refusal when those are too many. */
  takeRequests(count: number): Response | undefined;
  /** The same answer; the room is free when it is at its end, or when nobody wants it any more. */
  until(answer: Response): Response;
  leave(): void;
}

/** The longest message, in bytes. */
const LONGEST = 64 * 1024 * 1024;
/** So many bytes of all requests that are not answered; short ones are taken all the same. */
const MOST_BYTES = 2 * LONGEST;
const SHORT = 64 * 1024;
/** So many requests that are not answered. */
export const MOST_OPEN = 1000;

/** Seconds. */
const BACK = { 'retry-after': '1' };

export function createAdmission(): () => Place {
  let [bytes, requests] = [0, 0];
  return () => {
    let [ownBytes, ownRequests] = [0, 0];
    const leave = () => {
      bytes -= ownBytes;
      requests -= ownRequests;
      [ownBytes, ownRequests] = [0, 0];
    };
    return {
      takeBytes(count) {
        ownBytes += count;
        bytes += count;
        if (ownBytes > LONGEST) return refusal(413, `a message has at most ${LONGEST} bytes`);
        if (ownBytes <= SHORT || bytes <= MOST_BYTES) return undefined;
        return refusal(503, 'too many long messages wait for answers', BACK);
      },
      takeRequests(count) {
        if (count > MOST_OPEN) return refusal(413, `a batch has at most ${MOST_OPEN} requests`);
        if (requests + count > MOST_OPEN)
          return refusal(503, `${MOST_OPEN} requests wait for answers`, BACK);
        ownRequests += count;
        requests += count;
        return undefined;
      },
      until(answer) {
        if (answer.body !== null)
          return new Response(followed(answer.body, leave), {
            status: answer.status,
            headers: answer.headers,
          });
        leave();
        return answer;
      },
      leave,
    };
  };
}

/** The same bytes; `end` is called when they are at their end, or are not wanted any more. */
function followed(body: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      end();
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
}
