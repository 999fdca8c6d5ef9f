// Copied beside the built server and loaded before it (see svelte.config.js).
process.env.PORT ||= '3010';
process.env.HOST ||= '0.0.0.0';
// The API itself limits bodies to PF_BODY_LIMIT, and answers as its contract says.
process.env.BODY_SIZE_LIMIT = 'Infinity';
// When the server ends, it waits for the requests in flight: as long as their statements may run, and a
// little more.
process.env.SHUTDOWN_TIMEOUT ||= '330';
