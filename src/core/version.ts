/** The version of this package. A test compares it with `package.json`, which no bundle must carry as a whole. */
export const version = '0.2.0';
