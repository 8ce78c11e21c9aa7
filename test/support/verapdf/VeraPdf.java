import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Set;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/**
 * Reads lines "FLAVOUR FILE" until its input ends. Of each: one line per failed rule ("clause-test message"), "checks N", "passed" or "failed",
 * "done". Starting anew for each file would take longer than validating it.
 */
public final class VeraPdf {
  public static void main(String[] args) throws Exception {
    VeraGreenfieldFoundryProvider.initialise();
    BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = asked.readLine(); line != null; line = asked.readLine()) {
      int space = line.indexOf(' ');
      try {
        validate(PDFAFlavour.fromString(line.substring(0, space)), line.substring(space + 1));
      } catch (Exception problem) {
        System.out.println("threw " + String.valueOf(problem).replace('\n', ' '));
      }
      System.out.println("done");
    }
  }

  private static void validate(PDFAFlavour flavour, String file) throws Exception {
    try (InputStream in = new FileInputStream(file);
        PDFAParser parser = Foundries.defaultInstance().createParser(in, flavour)) {
      PDFAValidator validator = Foundries.defaultInstance().createValidator(flavour, 200, false, false, false);
      ValidationResult result = validator.validate(parser);
      Set<String> failed = new LinkedHashSet<>();
      for (TestAssertion assertion : result.getTestAssertions())
        if (assertion.getStatus() == TestAssertion.Status.FAILED)
          failed.add(assertion.getRuleId().getClause() + "-" + assertion.getRuleId().getTestNumber() + " " + assertion.getMessage().replace('\n', ' '));
      failed.forEach(System.out::println);
      System.out.println("checks " + result.getTotalAssertions());
      System.out.println(result.isCompliant() ? "passed" : "failed");
    }
  }
}
