package io.counterflow.serving.events;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The newest records by key, in one array of bytes: tens of thousands of small objects that live
 * for a second would cost the garbage collector more than taking the decisions. Thread-safe.
 */
final class RecordRing {

    private final int maxRecords;
    private final byte[] bytes;
    private final long[] starts; // of record n at n % maxRecords; positions only grow
    private final int[] keyLengths;
    private final int[] lengths; // of key and value
    private final int[] hashes; // of the key
    private long first; // the oldest record
    private long next; // the number of records so far
    private long end; // of the newest record

    RecordRing(int maxRecords, int maxBytes) {
        this.maxRecords = maxRecords;
        bytes = new byte[maxBytes];
        starts = new long[maxRecords];
        keyLengths = new int[maxRecords];
        lengths = new int[maxRecords];
        hashes = new int[maxRecords];
    }

    /** Adds a record and forgets the oldest ones that it needs the place of. */
    synchronized void add(String key, byte[] value) {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        int length = name.length + value.length;
        if (length > bytes.length) {
            return;
        }
        int at = (int) (end % bytes.length);
        long start = at + length > bytes.length ? end + bytes.length - at : end; // in one piece
        end = start + length;
        while (first < next
                && (next - first == maxRecords || starts[slot(first)] < end - bytes.length)) {
            first++;
        }
        int slot = slot(next++);
        starts[slot] = start;
        keyLengths[slot] = name.length;
        lengths[slot] = length;
        hashes[slot] = key.hashCode();
        int from = (int) (start % bytes.length);
        System.arraycopy(name, 0, bytes, from, name.length);
        System.arraycopy(value, 0, bytes, from + name.length, value.length);
    }

    /** The records with this key, the newest first. */
    synchronized List<byte[]> newestFirst(String key) {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        int hash = key.hashCode();
        List<byte[]> values = new ArrayList<>();
        for (long record = next - 1; record >= first; record--) {
            int slot = slot(record);
            int from = (int) (starts[slot] % bytes.length);
            int value = from + keyLengths[slot];
            if (hashes[slot] == hash && Arrays.equals(bytes, from, value, name, 0, name.length)) {
                values.add(Arrays.copyOfRange(bytes, value, from + lengths[slot]));
            }
        }
        return values;
    }

    /** The keys with this prefix. */
    synchronized Set<String> keysStartingWith(String prefix) {
        byte[] start = prefix.getBytes(StandardCharsets.UTF_8);
        Set<String> keys = new TreeSet<>();
        for (long record = first; record < next; record++) {
            int slot = slot(record);
            int from = (int) (starts[slot] % bytes.length);
            int length = keyLengths[slot];
            if (length >= start.length
                    && Arrays.equals(bytes, from, from + start.length, start, 0, start.length)) {
                keys.add(new String(bytes, from, length, StandardCharsets.UTF_8));
            }
        }
        return keys;
    }

    private int slot(long record) {
        return (int) (record % maxRecords);
    }
}
