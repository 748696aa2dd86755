/** A connection that speaks WebDriver BiDi. */
export interface Bidi extends Disposable {
  send(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Events must be subscribed to first, with `session.subscribe`. */
  on<Params>(event: string, listener: (params: Params) => void): void;
}

interface Message {
  /** Of the command that it answers. Events have none. */
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: string;
  readonly message?: string;
  readonly method: string;
  readonly params: never;
}

export async function connectBidi(url: string): Promise<Bidi> {
  const socket = new WebSocket(url);
  const answered = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  const listeners = new Map<string, (params: never) => void>();
  socket.onmessage = ({ data }) => {
    const { id, result, error, message, method, params }: Message = JSON.parse(data);
    if (id === undefined) return listeners.get(method)?.(params);
    const command = answered.get(id);
    answered.delete(id);
    if (result) command?.resolve(result);
    else command?.reject(new Error(`${error}: ${message}`));
  };
  socket.onclose = () => {
    for (const command of answered.values()) command.reject(new Error('the browser has exited'));
  };
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`cannot connect to ${url}`));
  });
  let last = 0;
  return {
    send(method, params = {}) {
      const id = ++last;
      const command = Promise.withResolvers<Record<string, unknown>>();
      answered.set(id, command);
      socket.send(JSON.stringify({ id, method, params }));
      return command.promise;
    },
    on(event, listener) {
      listeners.set(event, listener);
    },
    [Symbol.dispose]: () => socket.close(),
  };
}
