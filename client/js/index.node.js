// Node.js 18 has the standard random generator, but not under its standard name.
import { webcrypto } from 'node:crypto';

globalThis.crypto ??= webcrypto;

export * from './index.js';
