/** Lets whatever else waits for the thread go before what follows. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
