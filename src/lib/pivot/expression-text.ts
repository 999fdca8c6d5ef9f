/** A column's name as an expression has it. */
export const quotedName = (name: string): string => `"${name.replace(/(["\\])/g, '\\$1')}"`;

/** A text as an expression has it. */
export const quotedText = (text: string): string => `'${text.replace(/(['\\])/g, '\\$1')}'`;
