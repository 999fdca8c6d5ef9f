import type { EngineView, ViewConfig } from './values/engine-types';

/** Asks a view that lives no longer than the question. @throws whatever the question throws */
export async function withView<View extends EngineView, Answer>(
  table: { view(config: Partial<ViewConfig>): Promise<View> },
  config: Partial<ViewConfig>,
  ask: (view: View) => Promise<Answer>,
): Promise<Answer> {
  const view = await table.view(config);
  try {
    return await ask(view);
  } finally {
    await view.delete();
  }
}
