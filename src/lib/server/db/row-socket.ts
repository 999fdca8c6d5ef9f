import { Socket, type ConnectOpts, type SocketConstructorOpts } from 'node:net';

/** Bytes that are read at once. */
const ROOM = 131_072;

/**
 * Takes the next bytes, which are overwritten as soon as it returns. If it returns false, the next ones come
 * after `resume()`.
 */
type Taker = (bytes: Buffer) => boolean;

/**
 * The socket of a connection to the database. Rows can be taken from it where they were read, in one place
 * for all: a socket of Node's makes a new place of 64 KB for each part, and to clear those away takes a
 * tenth of the time of a load.
 */
export class RowSocket extends Socket {
  #taker: Taker | undefined;

  constructor() {
    const room = Buffer.allocUnsafeSlow(ROOM);
    const callback = (length: number) => this.#take(room.subarray(0, length));
    const options: SocketConstructorOpts & ConnectOpts = { onread: { buffer: room, callback } };
    super(options);
  }

  /** Has `taker` take what comes from now on. */
  takeBy(taker: Taker): void {
    this.#taker = taker;
  }

  /** Gives what comes from now on to those who listen to the socket, these bytes first. */
  giveBack(bytes: Buffer): void {
    this.#taker = undefined;
    this.#take(bytes);
  }

  #take(bytes: Buffer): boolean {
    if (this.#taker) return this.#taker(bytes);
    this.emit('data', Buffer.from(bytes));
    return true;
  }
}
