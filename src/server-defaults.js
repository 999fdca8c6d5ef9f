// Copied beside the built server and loaded before it (see svelte.config.js).
// A copy of .env.example has variables without a value. adapter-node would read them as set.
for (const name of ['ORIGIN', 'HOST_HEADER', 'PROTOCOL_HEADER', 'ADDRESS_HEADER']) {
  if (process.env[name] === '') delete process.env[name];
}
process.env.PORT ||= '3010';
process.env.HOST ||= '0.0.0.0';
// The API itself limits bodies to PF_BODY_LIMIT, and answers as its contract says.
process.env.BODY_SIZE_LIMIT = 'Infinity';
// When the server ends, it waits for the requests in flight: as long as their statements may run, and a
// little more.
process.env.SHUTDOWN_TIMEOUT ||= '330';

// adapter-node says where it listens, and Node.js warns, in plain text; the log has JSON lines.
/**
 * @param {number} level
 * @param {string} msg
 */
const line = (level, msg) => `${JSON.stringify({ level, time: new Date().toISOString(), msg })}\n`;
console.log = (text) => void process.stdout.write(line(30, String(text)));
process.removeAllListeners('warning');
process.on('warning', ({ name, message }) => {
  process.stdout.write(line(40, `${name}: ${message}`));
});
