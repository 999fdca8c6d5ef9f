import { Socket, type ConnectOpts, type SocketConstructorOpts } from 'node:net';

/** Bytes that are read at once. */
const ROOM = 131_072;
/** How long rows are left to come together, if there are fewer than can be read at once. */
const GATHER_MILLISECONDS = 1;

/**
 * Takes the next bytes, which are overwritten as soon as it returns. If it returns false, the next ones come
 * after `resume()`.
 */
type Taker = (bytes: Buffer) => boolean;

/**
 * The socket of a connection to the database. Rows can be taken from it where they were read, in one place
 * for all: a socket of Node's makes a new place of 64 KB for each part, and to clear those away takes a
 * tenth of the time of a load.
 *
 * PostgreSQL sends 8 KB at a time, and wakes a reader that waits. To wake it for each part takes a fifth of
 * PostgreSQL's own time. So the socket waits until more has come
 * (docs/decisions/0004-rows-as-arrow.md).
 */
export class RowSocket extends Socket {
  #taker: Taker | undefined;
  /** Bytes that the taker was given. */
  #taken = 0;

  constructor() {
    const room = Buffer.allocUnsafeSlow(ROOM);
    const callback = (length: number) => this.#take(room.subarray(0, length));
    const options: SocketConstructorOpts & ConnectOpts = { onread: { buffer: room, callback } };
    super(options);
  }

  /** Has `taker` take what comes from now on. */
  takeBy(taker: Taker): void {
    this.#taker = taker;
    this.#taken = 0;
  }

  /** Gives what comes from now on to those who listen to the socket, these bytes first. */
  giveBack(bytes: Buffer): void {
    this.#taker = undefined;
    this.#take(bytes);
  }

  #take(bytes: Buffer): boolean {
    if (!this.#taker) {
      this.emit('data', Buffer.from(bytes));
      return true;
    }
    this.#taken += bytes.length;
    if (!this.#taker(bytes)) return false;
    // The first ones are read at once, so short answers do not wait.
    if (!this.#taker || bytes.length === ROOM || this.#taken < ROOM) return true;
    setTimeout(() => this.resume(), GATHER_MILLISECONDS);
    return false;
  }
}
