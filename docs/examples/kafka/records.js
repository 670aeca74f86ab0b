// Records on the topics of Counterflow: C3 01, the fingerprint of the schema, and the record in Avro.
'use strict';

const avro = require('avsc');

const MARKER = 'c301';
const HEADER_BYTES = 10;

/** Reads and writes records with the schemas that a serving process hands out. */
class Records {
  constructor(serving) {
    this.serving = serving;
    this.types = new Map(); // by fingerprint, which never gets another schema
  }

  async get(path) {
    const response = await fetch(this.serving + path);
    if (!response.ok) {
      throw new Error(`${path}: ${response.status} ${await response.text()}`);
    }
    return response.json();
  }

  async type(fingerprint) {
    if (!this.types.has(fingerprint)) {
      const schema = await this.get('/v1/schemas/' + fingerprint);
      this.types.set(fingerprint, avro.Type.forSchema(schema));
    }
    return this.types.get(fingerprint);
  }

  /** A function that encodes one kind of record of a topic. */
  async encoder(topic, record) {
    const { topics } = await this.get('/v1/schemas');
    const { schemas } = topics.find((it) => it.topic === topic);
    const { fingerprint } = schemas.find((it) => it.record === record); // the newest version is first
    const type = await this.type(fingerprint);
    const header = Buffer.from(MARKER + fingerprint, 'hex');
    return (value) => Buffer.concat([header, type.toBuffer(value)]);
  }

  /** The record of some bytes, and its name. */
  async decode(bytes) {
    if (bytes.toString('hex', 0, 2) !== MARKER) {
      throw new Error('not a record in single-object encoding');
    }
    const type = await this.type(bytes.toString('hex', 2, HEADER_BYTES));
    return { name: type.branchName.split('.').pop(), value: type.fromBuffer(bytes.subarray(HEADER_BYTES)) };
  }
}

module.exports = { Records };
