import java.io.FileInputStream;
import java.io.InputStream;
import java.util.LinkedHashSet;
import java.util.Set;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** VeraPdf FLAVOUR FILE: one line per failed rule ("clause-test message"), then "checks N" and "passed" or "failed". */
public final class VeraPdf {
  public static void main(String[] args) throws Exception {
    VeraGreenfieldFoundryProvider.initialise();
    PDFAFlavour flavour = PDFAFlavour.fromString(args[0]);
    try (InputStream in = new FileInputStream(args[1]);
        PDFAParser parser = Foundries.defaultInstance().createParser(in, flavour)) {
      PDFAValidator validator = Foundries.defaultInstance().createValidator(flavour, 200, false, false, false);
      ValidationResult result = validator.validate(parser);
      Set<String> failed = new LinkedHashSet<>();
      for (TestAssertion assertion : result.getTestAssertions())
        if (assertion.getStatus() == TestAssertion.Status.FAILED)
          failed.add(assertion.getRuleId().getClause() + "-" + assertion.getRuleId().getTestNumber() + " " + assertion.getMessage());
      failed.forEach(System.out::println);
      System.out.println("checks " + result.getTotalAssertions());
      System.out.println(result.isCompliant() ? "passed" : "failed");
    }
  }
}
