package io.counterflow.experiments.run;

/**
 * A line of a {@link ResultFile}.
 *
 * @param key key of the result
 * @param measured the result
 */
record CsvRow(UnitKey key, Measured measured) {

    static final String HEADER =
            "experiment,dataset,source,trial,method,setting,lambda,fold,epochs,seed,"
                    + "holdout,stochastic,argmax";

    private static final int COLUMNS = 13;
    private static final String ALL = "all";

    static CsvRow parse(String line) {
        String[] cells = line.split(",", -1);
        if (cells.length != COLUMNS) {
            throw new IllegalArgumentException(
                    "a result must have %d columns, got %d".formatted(COLUMNS, cells.length));
        }
        UnitKey key =
                new UnitKey(
                        cells[0],
                        cells[1],
                        cells[2],
                        Integer.parseInt(cells[3]),
                        cells[4],
                        cells[5],
                        Double.parseDouble(cells[6]),
                        cells[7].equals(ALL) ? UnitKey.WHOLE_LOG : Integer.parseInt(cells[7]),
                        Integer.parseInt(cells[8]),
                        Long.parseLong(cells[9]));
        return new CsvRow(
                key, new Measured(number(cells[10]), number(cells[11]), number(cells[12])));
    }

    private static double number(String cell) {
        return cell.isEmpty() ? Double.NaN : Double.parseDouble(cell);
    }

    @Override
    public String toString() {
        return String.join(
                ",",
                key.experiment(),
                key.dataset(),
                key.source(),
                Integer.toString(key.trial()),
                key.method(),
                key.setting(),
                Double.toString(key.lambda()),
                key.fold() == UnitKey.WHOLE_LOG ? ALL : Integer.toString(key.fold()),
                Integer.toString(key.epochs()),
                Long.toString(key.seed()),
                text(measured.holdout()),
                text(measured.stochastic()),
                text(measured.argmax()));
    }

    private static String text(double number) {
        return Double.isNaN(number) ? "" : Double.toString(number);
    }
}
