import { beforeEach, describe, expect, it } from 'vitest';
import type { WriteSettings } from '../amounts/operation';
import { NextSettings, type Setting } from './next-settings.svelte';

const DEFAULTS: WriteSettings = {
  ...{ spread: 'proportional', shape: null, shapeKey: null, holdPrice: false },
  ...{ keepTotal: false, follow: [], note: '' },
};

let form: WriteSettings;
let next: NextSettings;

/** A setting of the form under test. */
const settingOf = (key: keyof WriteSettings): Setting => {
  const text = (settings: WriteSettings) => JSON.stringify(settings[key]);
  return {
    isSet: () => text(form) !== text(DEFAULTS),
    isAsIn: (settings) => text(form) === text(settings),
    put: (settings) => void (form = { ...form, [key]: settings[key] }),
  };
};

beforeEach(() => {
  form = { ...DEFAULTS };
  next = new NextSettings({
    ...{ spread: settingOf('spread'), holdPrice: settingOf('holdPrice') },
    ...{ keepTotal: settingOf('keepTotal'), follow: settingOf('follow') },
    note: settingOf('note'),
  });
});

describe('what is set for the next write', () => {
  const SET: WriteSettings = {
    ...{ spread: 'equal', shape: null, shapeKey: null, holdPrice: true },
    ...{ keepTotal: true, follow: ['cost'], note: 'Fair in May' },
  };

  it('holds for one write', () => {
    form = { ...SET };
    next.use(form);
    expect(form).toEqual(DEFAULTS);
  });

  it('stays for later writes if it is pinned, until it is unpinned', () => {
    form = { ...SET };
    next.pin('holdPrice', true);
    next.pin('follow', true);
    next.use(form);
    expect(form).toEqual({ ...DEFAULTS, holdPrice: true, follow: ['cost'] });
    next.pin('holdPrice', false);
    next.use(form);
    expect(form).toEqual({ ...DEFAULTS, follow: ['cost'] });
  });

  it('comes back after a failed write, unless it was set again meanwhile', () => {
    form = { ...SET };
    const used = form;
    next.use(used);
    form = { ...form, note: 'Agreed in June' };
    next.giveBack(used);
    expect(form).toEqual({ ...SET, note: 'Agreed in June' });
  });

  it('is not reset by a write that began before it was changed', () => {
    const used = form;
    form = { ...SET };
    next.use(used);
    expect(form).toEqual(SET);
  });

  it('loses its pin with a write that is made while it has its default', () => {
    form = { ...SET };
    next.pin('holdPrice', true);
    form = { ...form, holdPrice: false };
    expect(next.pinned).toEqual([]);
    next.use(form);
    form = { ...form, holdPrice: true };
    expect(next.isPinned('holdPrice')).toBe(false);
  });
});
