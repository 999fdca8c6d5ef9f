// A working tool, not a document: what can be seen can be used. Rendered on the server, buttons
// would be there before anything answers them, and dates in the server's time zone.
export const ssr = false;
