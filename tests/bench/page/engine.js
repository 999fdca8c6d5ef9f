// The engine in an otherwise empty page.

/**
 * @param {string} name
 * @returns {Promise<ArrayBuffer>}
 */
async function bytesOf(name) {
  const response = await fetch(`/bytes/${encodeURIComponent(name)}`, { cache: 'no-store' });
  if (!response.ok) throw new Error(`No bytes of that name: ${name}`);
  return response.arrayBuffer();
}

const path = '/cdn/perspective.js';
const { default: engine } = await import(/* @vite-ignore */ path);
engine.init_client(fetch('/wasm/perspective-js.wasm'));
const client = await engine.worker();

/**
 * Returns the keys of rows.
 *
 * @param {ArrayBuffer} rows
 */
async function keysOf(rows) {
  const table = await client.table(rows, { index: 'pf_id' });
  const view = await table.view({ columns: ['pf_id'] });
  const { pf_id } = JSON.parse(await view.to_columns_string());
  await view.delete();
  await table.delete();
  return pf_id;
}

/** @type {Window['engine']} */
window.engine = {
  async measured(name, more, arranged) {
    const loaded = await bytesOf(name);
    const added = more === null ? null : await bytesOf(more);
    let start = performance.now();
    const table = await client.table(loaded, { index: 'pf_id' });
    const view = await table.view(arranged);
    await view.to_columns_string({ end_row: 1 });
    if (added) {
      start = performance.now();
      await table.update(added);
      await view.to_columns_string({ end_row: 1 });
    }
    const took = performance.now() - start;
    await view.delete();
    await table.delete();
    return took;
  },

  async viewed(name, arranged) {
    const table = await client.table(await bytesOf(name), { index: 'pf_id' });
    const start = performance.now();
    const view = await table.view(arranged);
    await view.to_columns_string({ end_row: 1 });
    const took = performance.now() - start;
    await view.delete();
    await table.delete();
    return took;
  },

  async repeated(name, more, arranged, times) {
    const table = await client.table(await bytesOf(name), { index: 'pf_id' });
    const view = await table.view(arranged);
    const keys = await keysOf(await bytesOf(more));
    const took = [];
    for (let time = 0; time < times; time += 1) {
      const added = await bytesOf(more);
      const start = performance.now();
      await table.update(added);
      await view.to_columns_string({ end_row: 1 });
      took.push(performance.now() - start);
      await table.remove(keys);
      await view.to_columns_string({ end_row: 1 });
    }
    await view.delete();
    await table.delete();
    return took;
  },
};

export {};
