export const find = (words) => location.assign(`search?q=${encodeURIComponent(words)}`);
