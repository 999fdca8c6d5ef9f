import { expect, it } from 'vitest';
import { eventText } from './event-text';

it('an event has a text with its lift and with the amount that it adds to the forecast', () => {
  const easter = { name: 'Easter', lift: 0.4, history: [40, 42], horizon: [1000, 250] };
  expect(eventText(easter, 2, 'month')).toBe(
    'Easter: +40 %, measured in 2 months of the history. It adds 1.25K to the forecast.',
  );
  expect(eventText({ ...easter, lift: -0.955, horizon: [-30] }, 1, 'week')).toBe(
    'Easter: -95.5 %, measured in 1 week of the history. It takes 30 from the forecast.',
  );
  expect(eventText({ ...easter, lift: null }, 2, 'quarter')).toBe(
    'Easter: measured as an amount in 2 quarters of the history. It adds 1.25K to the forecast.',
  );
  expect(eventText({ ...easter, horizon: [] }, 2, 'month')).toBe(
    'Easter: +40 %, measured in 2 months of the history. It is not in the horizon.',
  );
});
