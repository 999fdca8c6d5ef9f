/**
 * The package folders below node_modules that contain the files, each once, relative to the project.
 *
 * @param {readonly string[]} files
 * @returns {string[]}
 */
export function packageFolders(files) {
  const folders = files.flatMap((file) => {
    const path = file.slice(Math.max(file.indexOf('node_modules/'), 0));
    return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/?]+/.exec(path)?.[0] ?? [];
  });
  return [...new Set(folders)].toSorted();
}
